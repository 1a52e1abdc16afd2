import type { EventType } from './webhook-event.ts';

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'DEAD'] as const;

/** `DEAD`: given up. A client may ask to send it again. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One event for one endpoint. */
export type WebhookDelivery = {
  /** The endpoint's. */
  organizationId: string;
  id: string;
  endpointId: string;
  eventId: string;
  /** The event's. */
  position: number;
  eventType: EventType;
  /** The event's. A repetition has that of `subjectAgain`. */
  subject: string;
  status: DeliveryStatus;
  attempts: number;
  /** When it is due. Null: it has ended, or an earlier event of its subject is pending. */
  nextAt: number | null;
  /** When its first attempt was recorded, or that of its repetition. */
  firstAttemptAt: number | null;
  lastAttemptAt: number | null;
  lastDurationMs: number | null;
  lastStatusCode: number | null;
  /** The beginning of the answer. */
  lastAnswer: string;
  lastError: string;
  createdAt: number;
  endedAt: number | null;
};

/** A subject of its own: a repetition that fails holds back no event. */
export const subjectAgain = ({ id, subject }: Pick<WebhookDelivery, 'id' | 'subject'>): string =>
  `again ${id} ${eventSubject(subject)}`;

/** The subject of the event, also of a repetition. */
export const eventSubject = (subject: string): string => subject.replace(/^again [0-9a-f-]{36} /, '');

export type NewDelivery = Pick<
  WebhookDelivery,
  'organizationId' | 'id' | 'endpointId' | 'eventId' | 'position' | 'eventType' | 'subject' | 'createdAt'
>;

/** The outcome of one attempt. */
export type DeliveryAttempt = Pick<
  WebhookDelivery,
  'lastAttemptAt' | 'lastDurationMs' | 'lastStatusCode' | 'lastAnswer' | 'lastError'
>;

/** The state of one endpoint's deliveries. */
export type WebhookQueue = {
  organizationId: string;
  endpointId: string;
  /** The number of pending deliveries. */
  pending: number;
  /** When a delivery may be due; `NEVER` if none is. While the queue has an owner: when the lease ends, or sooner if there is more work. */
  nextAt: number;
  /** Attempts that failed since the last answer that was a success or a refusal for good. */
  failures: number;
  /** Without failures: the endpoint works again since then, and its retries are not due yet. */
  failingSince: number | null;
  /** The first attempt since the last success. A refusal for good is none. */
  noSuccessSince: number | null;
  /** When the service paused the endpoint, because it took nothing for too long. Its events are kept meanwhile. */
  pausedAt: number | null;
  /** When root users were told that it is paused. */
  mailedAt: number | null;
  /** The process that delivers. Empty: none. */
  owner: string;
  leaseUntil: number;
};

/** The endpoint was resumed, or took an event after an outage: its owner makes its retries due next. */
export const hasRetriesToHasten = ({ failures, failingSince }: Pick<WebhookQueue, 'failures' | 'failingSince'>): boolean =>
  failures === 0 && failingSince !== null;

/** The most events that an endpoint keeps which takes none. */
export const MOST_KEPT = 100_000;

/** A key that signs deliveries. */
export type WebhookKey = {
  /** 64 characters of lower-case hex. */
  kid: string;
  publicKey: Buffer;
  sealed: Buffer;
  createdAt: number;
  /** Null: it is the current key. */
  replacedAt: number | null;
};
