/**
 * Why an endpoint did not answer a request.
 * - `unreachable`: the request did not arrive, or was turned away before anything was done.
 * - `no answer`: it may have arrived and been done. The answer is missing, broken or meaningless.
 * - `rate limited`: the endpoint wants fewer requests, and did nothing.
 * - `unavailable`: the endpoint says that it cannot do this now.
 * - `wrong chain`: it is an endpoint of another network.
 */
export type Trouble = 'unreachable' | 'no answer' | 'rate limited' | 'unavailable' | 'wrong chain';

/** One endpoint did not answer. Texts of this file hold no URL: `endpoint` is a host, and secrets of the URL are blotted out. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';
  readonly endpoint: string;
  readonly trouble: Trouble;
  /** When it may be asked again, if it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(endpoint: string, trouble: Trouble, message: string, retryAfterMs?: number) {
    super(`${endpoint}: ${message}`);
    this.endpoint = endpoint;
    this.trouble = trouble;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A node’s error object: its objection to the request itself. */
export type SaidError = { readonly code: number; readonly message: string; readonly data: unknown };

export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly endpoint: string;
  readonly said: SaidError;

  constructor(endpoint: string, said: SaidError) {
    super(`${endpoint}: ${said.message} (${said.code})`);
    this.endpoint = endpoint;
    this.said = said;
  }
}

/** No endpoint of the network answered. Nothing is known. */
export class NoNodeError extends Error {
  override readonly name = 'NoNodeError';
  readonly caip2: string;
  readonly failures: readonly EndpointError[];
  /** When one of them may be asked again, if all are limited. */
  readonly retryAfterMs: number | undefined;
  /** Every endpoint is of another network: only its operator can fix that. */
  readonly isOfAnother: boolean;

  constructor(
    caip2: string,
    failures: readonly EndpointError[],
    { retryAfterMs, isOfAnother = false }: { retryAfterMs?: number | undefined; isOfAnother?: boolean } = {},
  ) {
    super(`no RPC endpoint of ${caip2} answers: ${failures.map(({ message }) => message).join('; ') || 'all are rate limited'}`);
    this.caip2 = caip2;
    this.failures = failures;
    this.retryAfterMs = retryAfterMs;
    this.isOfAnother = isOfAnother;
  }
}

/** The result of a search. A missing value is only as sure as `answered` of `endpoints`: an endpoint may lag. */
export type LookUp<T> = { readonly value: T | undefined; readonly answered: number; readonly endpoints: number };

/**
 * What an account holds, in smallest units. `tokens`: by contract or mint; undefined if the contract gave no balance. `program`: the
 * token program on Solana.
 */
export type Holdings = {
  readonly native: bigint;
  readonly tokens: ReadonlyMap<string, { readonly amount: bigint | undefined; readonly program?: string }>;
};

/** The current state of an endpoint. */
export type EndpointState = {
  readonly endpoint: string;
  readonly head: bigint | undefined;
  readonly lags: boolean;
  readonly trouble: Trouble | undefined;
};

export type Log = Record<'info' | 'warn' | 'error', (fields: Record<string, unknown>, message: string) => void>;
