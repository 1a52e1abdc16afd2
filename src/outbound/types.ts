/** One message that is to leave the process. `id` is its idempotency key: it may be sent more than once. */
export type Outgoing = {
  id: string;
  organizationId: string;
  activityId: string;
  topic: string;
  payload: unknown;
  attempt: number;
};

/** Sends what one topic is about. A rejection means: try again later. */
export type Sender = (message: Outgoing) => Promise<void>;
