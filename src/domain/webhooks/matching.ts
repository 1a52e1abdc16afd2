import type { WebhookEndpoint, WebhookSubscription } from '../../model/webhook.ts';
import type { WebhookEvent } from '../../model/webhook-event.ts';

type Event = Pick<WebhookEvent, 'eventType' | 'filters'>;

/** `filtersProblem` has checked the text. */
function passes({ filtersJson }: WebhookSubscription, { filters }: Event): boolean {
  if (filtersJson === undefined) return true;
  const wanted = Object.entries(JSON.parse(filtersJson) as Record<string, readonly string[]>);
  return wanted.every(([name, values]) => filters[name] !== undefined && values.includes(filters[name]));
}

/** Whether an endpoint subscribes to an event. */
export const receives = ({ subscriptions }: Pick<WebhookEndpoint, 'subscriptions'>, event: Event): boolean =>
  subscriptions.some((one) => one.isActive && one.eventType === event.eventType && passes(one, event));
