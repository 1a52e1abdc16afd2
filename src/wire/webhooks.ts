import { z } from 'zod';
import { type WebhookEndpoint as Model, WEBHOOK_EVENTS } from '../model/webhook.ts';
import { IdOut } from './common.ts';
import { oneOf } from './enums.ts';

const LONGEST_URL = 2048;
const LONGEST_FILTERS = 4096;

/** Why a text is no address of a receiver, whatever the operator allows. */
export function urlProblem(text: string): string | undefined {
  if (text.length > LONGEST_URL) return `must have at most ${LONGEST_URL} characters`;
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text)) return 'must be an https URL, such as https://example.com/hooks';
  if (url.username !== '' || url.password !== '') return 'must not have a user name or password';
  return text.includes('#') ? 'must not have a fragment (#)' : undefined;
}

/** `checkReceiver` decides whether its host may be called, and whether over http. */
export const WebhookUrl = z
  .string()
  .max(LONGEST_URL, { error: `must have at most ${LONGEST_URL} characters`, abort: true })
  .superRefine((text, { addIssue }) => {
    const message = urlProblem(text);
    if (message !== undefined) addIssue({ code: 'custom', message });
  });

/** `checkSubscriptions` checks the filters. */
export const SubscriptionParams = z.object({
  eventType: oneOf('event type', WEBHOOK_EVENTS),
  filtersJson: z.string().max(LONGEST_FILTERS, `must have at most ${LONGEST_FILTERS} characters`).optional(),
  isActive: z.boolean().optional(),
});

export const WebhookEndpoint = z.object({
  endpointId: IdOut,
  organizationId: IdOut,
  url: z.string(),
  name: z.string(),
  isActive: z.boolean(),
  subscriptions: z.array(z.object({ eventType: z.string(), filtersJson: z.string().optional(), isActive: z.boolean() })),
});

export function viewWebhookEndpoint(endpoint: Model): z.output<typeof WebhookEndpoint> {
  const { id, organizationId, url, name, isActive, subscriptions } = endpoint;
  return { endpointId: id, organizationId, url, name, isActive, subscriptions: [...subscriptions] };
}
