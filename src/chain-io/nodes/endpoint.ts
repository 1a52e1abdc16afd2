import type { Clock } from '../../base/clock.ts';
import { type Line, type LineError, lineTo } from '../../outbound/line.ts';
import { type RpcAnswer, readAnswer, type Shape } from './answer.ts';
import { batches, type Posted, TooLarge } from './batch.ts';
import { type Health, unknownHealth } from './health.ts';
import { redactor } from './redact.ts';
import { restAsked, troubleOf } from './trouble.ts';
import { EndpointError, RpcError, type SaidError, type Trouble } from './types.ts';

export type RequestBounds = Shape & { bytes: number; milliseconds: number };

const REQUEST_BOUNDS: RequestBounds = { bytes: 4 << 20, milliseconds: 10_000, depth: 64, keys: 200_000 };

/**
 * `joins`: it costs a node little and may be asked twice. It shares an HTTP request with others of its method, or of this group.
 * `signal`: ends the wait for the answer. That of the first in a group counts for the request that it shares.
 */
export type RequestOptions = Partial<RequestBounds> & { joins?: boolean | symbol; signal?: AbortSignal };

export type Endpoint = {
  /** The host, in a form that is safe to show. */
  readonly name: string;
  readonly health: Health;
  /** The result of a request. Throws EndpointError, or RpcError if the node refuses the request itself. */
  request(method: string, params: readonly unknown[], options?: RequestOptions): Promise<unknown>;
  close(): void;
};

const REFUSING_TO_SERVE: Readonly<Record<number, string>> = {
  401: 'it rejected the credentials: check the RPC URL',
  402: 'it demands payment',
  403: 'it refused access',
  404: 'its path does not exist: check the RPC URL',
};

/** The meaning of a status without a usable body. A gateway may have passed the request on before it gave up. */
function troubleOfStatus(status: number): { trouble: Trouble; text: string } {
  if (status === 429) return { trouble: 'rate limited', text: 'too many requests' };
  if (status >= 500 || status === 408) return { trouble: 'no answer', text: `answered with status ${status}` };
  if (status === 200) return { trouble: 'no answer', text: 'its answer is not JSON-RPC' };
  return { trouble: 'unreachable', text: REFUSING_TO_SERVE[status] ?? `answered with status ${status}` };
}

/** `machine`: for dates in Retry-After. `mostBytes`: of a response, also to several requests. */
type Parts = { machine: Clock; milliseconds?: number | undefined; mostBytes?: number | undefined };

export function endpointAt(text: string, name: string, { machine, milliseconds, mostBytes }: Parts): Endpoint {
  const url = new URL(text);
  const line: Line = lineTo(url);
  const redact = redactor(url);
  const underWay = new Set<AbortController>();
  let isClosed = false;
  const health = unknownHealth();
  const usual = {
    ...REQUEST_BOUNDS,
    ...(milliseconds !== undefined && { milliseconds }),
    ...(mostBytes !== undefined && { bytes: mostBytes }),
  };
  let lastId = 0;

  type Bounded = RequestBounds & { signal?: AbortSignal | undefined };

  async function posted(body: string, { bytes, milliseconds, signal }: Bounded): Promise<Posted> {
    // Many are under way in a burst: a finished request keeps nothing until its timeout.
    const control = new AbortController();
    const late = () => control.abort(new DOMException('late', 'TimeoutError'));
    const timer = setTimeout(late, milliseconds);
    signal?.addEventListener('abort', late);
    underWay.add(control);
    if (isClosed) control.abort();
    if (signal?.aborted) late();
    try {
      return await line.post(body, { signal: control.signal, maxBytes: bytes });
    } catch (error) {
      const { message, arrived, isTooLarge } = error as LineError;
      if (isTooLarge) throw new TooLarge(name, 'no answer', message);
      throw new EndpointError(name, arrived ? 'no answer' : 'unreachable', message);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', late);
      underWay.delete(control);
    }
  }

  function resultOf(answer: RpcAnswer | undefined, { status, retryAfter }: Posted): unknown {
    const said: SaidError | undefined =
      answer && 'error' in answer ? { ...answer.error, message: redact(answer.error.message) } : undefined;
    const trouble = status === 429 ? 'rate limited' : said && troubleOf(said);
    if (trouble !== undefined)
      throw new EndpointError(name, trouble, said?.message ?? 'too many requests', restAsked(retryAfter, said, machine.now()));
    if (said !== undefined) throw new RpcError(name, said);
    if (answer !== undefined && 'result' in answer && status === 200) return answer.result;
    const { trouble: general, text } = troubleOfStatus(status);
    throw new EndpointError(name, general, text, restAsked(retryAfter, undefined, machine.now()));
  }

  async function alone(method: string, params: readonly unknown[], bounds: Bounded): Promise<unknown> {
    const id = ++lastId;
    const answer = await posted(JSON.stringify({ jsonrpc: '2.0', id, method, params }), bounds);
    return resultOf(readAnswer(answer.body, id, bounds), answer);
  }

  const together = () =>
    batches({
      name,
      nextId: () => ++lastId,
      post: (body, times, signal) => posted(body, { ...usual, bytes: mostBytes ?? usual.bytes * times, signal }),
      shape: usual,
      resultOf,
      isTrouble: (said) => troubleOf(said) !== undefined,
      alone: ({ method, params, signal }) => alone(method, params, { ...usual, signal }),
    });
  const joined = together();
  // What an endpoint refuses of a group makes no batch of sends smaller.
  const grouped = together();

  return {
    name,
    health,
    request: (method, params, { joins, ...more } = {}) =>
      joins
        ? joins === true
          ? joined({ method, params, signal: more.signal, group: undefined })
          : grouped({ method, params, signal: more.signal, group: joins })
        : alone(method, params, { ...usual, ...more }),
    close() {
      isClosed = true;
      for (const control of underWay) control.abort();
      line.close();
    },
  };
}
