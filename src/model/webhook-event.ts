import type { WebhookEventType } from './webhook.ts';

/** `COUNTERSIGN_TEST`: a test that a client asked for. It goes to one endpoint, whatever that subscribes to. */
export type EventType = WebhookEventType | 'COUNTERSIGN_TEST';

/** What happened, as receivers are told. */
export type WebhookEvent = {
  /** The order of one subject's events. The database gives it. */
  position: number;
  /** Stable in all attempts and for all endpoints. */
  id: string;
  organizationId: string;
  /** The parent of the organization. Its endpoints may receive the event too. */
  parentId: string | null;
  eventType: EventType;
  /** What the event is about: an activity, a send, or an address and an asset. Its events are delivered in order. */
  subject: string;
  /** The values that filters of subscriptions list, by the filter's name. */
  filters: Readonly<Record<string, string>>;
  /** The bytes that are sent, in each attempt. */
  body: Buffer;
  createdAt: number;
};

export type NewWebhookEvent = Omit<WebhookEvent, 'position'>;

/** An event without deliveries yet. Its body is read when it is delivered. */
export type WaitingEvent = Omit<WebhookEvent, 'body'>;

/** What receivers are sent of an event. */
export type SentEvent = Pick<WebhookEvent, 'position' | 'id' | 'eventType' | 'body'>;
