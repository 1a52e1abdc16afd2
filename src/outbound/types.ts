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

/** Why a document was not fetched. Its message may be told to whoever brought the address. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** The same request may succeed later. Otherwise the address, or what it answers, is not acceptable. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass }: { mayPass: boolean }) {
    super(message);
    this.mayPass = mayPass;
  }
}

/** There was no place for the request, and nobody was asked: it says nothing of who would have been. */
export class NoPlaceError extends OutboundError {
  constructor() {
    super('too many requests to other services at once', { mayPass: true });
  }
}

/** On whose behalf a document is fetched: shares are counted by it. */
export type OnBehalf = {
  /** The top-level organization. */
  payer: string;
  signal?: AbortSignal | undefined;
};

/** Fetches the document at an address that a request brought. Throws OutboundError. */
export type FetchDocument = (url: string, onBehalf: OnBehalf) => Promise<Buffer>;

/** A request to a path below the base address of a conversation. */
export type Call = (request: {
  path: string;
  method: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
}) => Promise<{ status: number; body: Buffer }>;

/** A conversation with the service at a base address, which takes one place. Throws OutboundError. */
export type Calls = <T>(base: string, onBehalf: OnBehalf, work: (call: Call) => Promise<T>) => Promise<T>;
