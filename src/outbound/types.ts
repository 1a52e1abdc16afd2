/** An outbox message. `id` is its idempotency key: the message may be sent more than once. */
export type Outgoing = {
  id: string;
  organizationId: string;
  activityId: string;
  topic: string;
  payload: unknown;
  attempt: number;
};

/** The other side's answer to a message that it took. */
export type Receipt = {
  /** The first line, for the record. */
  response: string;
};

/** A message was not sent. Its text is for the operator, and contains nothing of the message. */
export class SendError extends Error {
  override readonly name = 'SendError';
  /** The other side refused it for good: a retry is useless. */
  readonly permanent: boolean;
  /** The other side's answer about the message itself, which users of the organization may read. */
  readonly said: string | undefined;

  constructor(message: string, { permanent, said }: { permanent: boolean; said?: string | undefined }) {
    super(message);
    this.permanent = permanent;
    this.said = said;
  }
}

/** A mail as it is sent. Its addresses are already checked. */
export type Letter = {
  /** The same at each attempt: receivers recognize a repetition by it. */
  messageId: string;
  from: { name: string; address: string };
  to: string;
  replyTo?: string | undefined;
  subject: string;
  text: string;
  html: string;
};

/** Sends mail. `close` ends all mails under way. */
export type Mailer = { send(letter: Letter): Promise<Receipt>; close(): void };

export type Sms = { id: string; to: string; text: string; code: string };

export type Texter = { send(sms: Sms): Promise<Receipt>; close(): void };

/** Why a document was not fetched. Its message is safe to show to the client that gave the address. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** The same request may succeed later. Otherwise the address, or its answer, is not acceptable. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass }: { mayPass: boolean }) {
    super(message);
    this.mayPass = mayPass;
  }
}

/** Whether the same request may get another answer later. */
export const statusMayPass = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/** There was no place for the request, and no server was asked. It says nothing about the server at the address. */
export class NoPlaceError extends OutboundError {
  constructor() {
    super('too many requests to other services are running', { mayPass: true });
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

/**
 * Why an address that a request brought may not be called later; undefined if it may. Only its name is looked up. Throws `Unreachable`
 * if that brings no answer now.
 */
export type AddressProblem = (url: string, onBehalf: OnBehalf) => Promise<string | undefined>;

/** A request to a path below the base address of a conversation. */
export type Call = (request: {
  path: string;
  method: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
}) => Promise<{ status: number; body: Buffer }>;

/** A conversation with the service at a base address, which takes one place. Throws OutboundError. */
export type Calls = <T>(base: string, onBehalf: OnBehalf, work: (call: Call) => Promise<T>) => Promise<T>;

/** `retryAfter`: the header. `text`: the first bytes of the body. */
export type PostAnswer = { status: number; retryAfter: string | undefined; text: string };

/** One POST. Throws OutboundError if no status came. */
export type Post = (
  url: string,
  onBehalf: OnBehalf,
  sending: { headers: Readonly<Record<string, string>>; body: Uint8Array },
) => Promise<PostAnswer>;

/** `challenge`: of WWW-Authenticate. `body`: read while `use` runs. */
export type Downloaded = { status: number; challenge: string | undefined; body: AsyncIterable<Buffer> };

/** A GET whose answer is read as it comes. Errors of `use` that are no OutboundError count as a failed connection. */
export type Download = <T>(
  url: string,
  onBehalf: OnBehalf,
  headers: Readonly<Record<string, string>>,
  use: (answer: Downloaded) => Promise<T>,
) => Promise<T>;

/** A line of the record for auditors. `id`: the same if it comes again. `at`: when its activity changed. */
export type ShippedLine = { id: string; at: number; text: string };

/** How long a receiver may take for the lines that are sent at once. */
export const SHIP_DEADLINE_MS = 10_000;

/** Resolves when the receiver has all lines, in their order. After an error they are sent again. */
export type Shipper = { send(lines: readonly ShippedLine[]): Promise<void>; close(): void };
