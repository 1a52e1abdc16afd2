import type { WebhookEndpoint, WebhookSubscription } from '../../model/webhook.ts';
import type { WebhookEvent } from '../../model/webhook-event.ts';

type Event = Pick<WebhookEvent, 'eventType' | 'filters'>;

/** `filtersProblem` has checked the text. */
function passes({ filtersJson }: WebhookSubscription, { filters }: Event): boolean {
  if (filtersJson === undefined) return true;
  const wanted = Object.entries(JSON.parse(filtersJson) as Record<string, readonly string[]>);
  return wanted.every(([name, values]) => filters[name] !== undefined && values.includes(filters[name]));
}

/** Whether an endpoint gets an event: it subscribes to it, or the event is a test of this endpoint. */
export const receives = ({ id, subscriptions }: Pick<WebhookEndpoint, 'id' | 'subscriptions'>, event: Event): boolean =>
  event.eventType === 'COUNTERSIGN_TEST'
    ? event.filters.endpointId === id
    : subscriptions.some((one) => one.isActive && one.eventType === event.eventType && passes(one, event));
