/** An outbox message. `id` is its idempotency key: the message may be sent more than once. */
export type Outgoing = {
  id: string;
  organizationId: string;
  activityId: string;
  topic: string;
  payload: unknown;
  attempt: number;
};

/** Sends the messages of one topic. A rejection means: try again later. */
export type Sender = (message: Outgoing) => Promise<void>;
