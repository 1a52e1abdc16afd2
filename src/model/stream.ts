/** Says that a stream of an organization may be resumed, so its activities are events. It stays after the last stream. */
export type StreamInterest = {
  organizationId: string;
  /** Of the latest event. It counts within the organization, so it tells nothing of others. */
  sequence: number;
  /** Events from this sequence on were recorded without a gap. Those that are too old were removed meanwhile. */
  since: number;
  /** When nothing can be resumed any more. 0: it has lapsed. */
  until: number;
};

/** An event in the streams of one organization. */
export type StreamEvent = {
  organizationId: string;
  sequence: number;
  /** Of the webhook event. */
  position: number;
  /** Where the activity ran: the organization, or a sub-organization of it. */
  sourceId: string;
  /** A webhook endpoint gets the event too. */
  isDelivered: boolean;
  createdAt: number;
};
