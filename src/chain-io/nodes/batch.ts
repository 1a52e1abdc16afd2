import { type RpcAnswer, readAnswers, type Shape } from './answer.ts';
import { EndpointError, type SaidError } from './types.ts';

export type Call = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Calls with the same one share HTTP requests, in place of calls of one method. */
  readonly group?: symbol | undefined;
  /** Ends the wait for the answer. */
  readonly signal?: AbortSignal | undefined;
};

/** The response to one HTTP request. */
export type Posted = { status: number; retryAfter: string | undefined; body: Buffer };

/** The answers have more bytes than are read: with fewer requests together they may fit. */
export class TooLarge extends EndpointError {}

type Parts = {
  name: string;
  nextId(): number;
  /** Throws EndpointError. `times`: how many times larger the response may be than for one request. */
  post(body: string, times: number, signal: AbortSignal | undefined): Promise<Posted>;
  shape: Shape;
  /** The result of one call, from its part of the response. Throws EndpointError, or RpcError. */
  resultOf(answer: RpcAnswer | undefined, posted: Posted): unknown;
  /** Whether this error is about the endpoint's current state, for example too many requests. */
  isTrouble(said: SaidError): boolean;
  alone(call: Call): Promise<unknown>;
};

/** The most requests in one HTTP request. Hosted providers take 50 to 1,000, nodes 100 and more. */
const MOST = 64;
/** The most bytes of one HTTP request. Nodes take a megabyte and more. */
const BYTES = 512 << 10;
/** An endpoint that refused a batch gets batches of a fraction of its size from then on. */
const SMALLER = 4;
/** The response to several requests may be this many times as large as to one. */
const TIMES = 4;
/** An endpoint that never answered a batch, and failed to this many times, gets single requests from then on. */
const DOUBTS = 2;

/** Nothing was done: the server does not take such a request. */
const REFUSING = new Set([400, 405, 413, 415, 422, 501]);

/** The error is about the batch, and not about the requests in it. */
const ABOUT_BATCHES = /\bbatch/i;

type Waiting = Call & { id: number; text: string; resolve(value: unknown): void; reject(error: unknown): void };

/** Takes the first of them, as many as fit. */
function cut(waiting: Waiting[], most: number): Waiting[] {
  let bytes = 0;
  let count = 0;
  while (count < Math.min(waiting.length, most) && (count === 0 || bytes + waiting[count]!.text.length <= BYTES))
    bytes += waiting[count++]!.text.length;
  return waiting.splice(0, count);
}

/**
 * Groups simultaneous calls of one method, or of one group, into few HTTP requests (JSON-RPC batches), in their order. Each call here may be asked
 * twice: refused batches are asked again in smaller ones, or alone. All later calls follow that size.
 */
export function batches({ name, nextId, post, shape, resultOf, isTrouble, alone }: Parts): (call: Call) => Promise<unknown> {
  const waiting = new Map<string | symbol, Waiting[]>();
  let most = MOST;
  let hasAnswered = false;
  let doubts = 0;

  const refusedMany = (count: number) => {
    most = Math.min(most, Math.max(1, Math.floor(count / SMALLER)));
  };

  function doubt(): void {
    if (!hasAnswered && ++doubts >= DOUBTS) most = 1;
  }

  async function single({ method, params, signal, resolve, reject }: Waiting): Promise<void> {
    await alone({ method, params, signal }).then(resolve, reject);
  }

  /** Takes the answer to each. Returns those that the endpoint would not take together. */
  function take(batch: readonly Waiting[], answers: ReadonlyMap<number, RpcAnswer>, posted: Posted): Waiting[] {
    hasAnswered = true;
    const again: Waiting[] = [];
    for (const one of batch) {
      const answer = answers.get(one.id);
      if (answer !== undefined && 'error' in answer && ABOUT_BATCHES.test(answer.error.message)) {
        again.push(one);
        continue;
      }
      try {
        if (answer === undefined) throw new EndpointError(name, 'no answer', `no answer to ${one.method} in a batch`);
        one.resolve(resultOf(answer, posted));
      } catch (error) {
        one.reject(error);
      }
    }
    if (again.length > 0 || batch.some(({ id }) => !answers.has(id))) refusedMany(batch.length);
    return again;
  }

  /** Returns the calls that must be asked again. */
  async function tried(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    let posted: Posted;
    try {
      posted = await post(`[${batch.map(({ text }) => text).join(',')}]`, Math.min(batch.length, TIMES), batch[0]!.signal);
    } catch (error) {
      if (error instanceof TooLarge) return split(batch);
      doubt();
      throw error;
    }
    const read = readAnswers(posted.body, shape);
    if (read !== undefined && 'answers' in read) {
      if (batch.some(({ id }) => read.answers.has(id))) return take(batch, read.answers, posted);
    } else if (read !== undefined && posted.status !== 429) {
      if (ABOUT_BATCHES.test(read.error.message) || !isTrouble(read.error)) {
        refusedMany(batch.length);
        return batch;
      }
    } else if (REFUSING.has(posted.status)) {
      refusedMany(batch.length);
      return batch;
    }
    doubt();
    resultOf(read !== undefined && 'error' in read ? read : undefined, posted);
    throw new EndpointError(name, 'no answer', 'its answer to a batch is invalid');
  }

  /** One of the answers may be large: that says nothing about the endpoint. */
  async function split(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const half = Math.ceil(batch.length / 2);
    await deliver(batch.slice(0, half), half);
    await deliver(batch.slice(half), half);
    return [];
  }

  async function deliver(all: readonly Waiting[], atOnce: number): Promise<void> {
    for (let left = [...all]; left.length > 0; ) {
      if (most === 1 || atOnce === 1) {
        await Promise.all(left.map(single));
        return;
      }
      const batch = cut(left, Math.min(most, atOnce));
      if (batch.length === 1) await single(batch[0]!);
      else
        try {
          left = [...(await tried(batch)), ...left];
        } catch (error) {
          for (const one of batch) one.reject(error);
        }
    }
  }

  function begin(key: string | symbol): void {
    const all = waiting.get(key)!;
    waiting.delete(key);
    void deliver(all, MOST);
  }

  return (call) =>
    new Promise((resolve, reject) => {
      const { method, params, group = method, signal } = call;
      const id = nextId();
      const text = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const one = { method, params, signal, id, text, resolve, reject };
      const others = waiting.get(group);
      if (others !== undefined) others.push(one);
      else {
        waiting.set(group, [one]);
        setImmediate(begin, group);
      }
    });
}
