import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Request = { id: unknown; method: string; params: unknown[] };

/**
 * How an RPC endpoint lies.
 * - `drop`: carries out the request, and closes the connection without an answer. `reset`: closes it immediately. `silence`:
 *   does it, and never answers.
 * - `twice`: does it twice, as a load balancer that tries again, and gives the second answer.
 * - `stale`: gives the answer to the request before, with its id.
 * - `error`: answers with this error; `done`: after doing it. `status`: with this HTTP status and body.
 * - `batches`: refuses several requests in one body: by an error object, a status, or an error for each. Or answers in another
 *   order, half of them, without their ids, or all with one id. Or takes no more than `most` of them.
 * - `result`: gives this result, whatever is so.
 * - `nonce`: says that this is every account's next nonce, of `latest` and `pending` blocks.
 * - `reverted`: says that mined transactions failed.
 * - `limit`: too many requests. `chain`: is of this chain. `endless`: never stops answering. `frozen`: has no block after this one.
 */
export type Lie =
  | { kind: 'drop' | 'reset' | 'silence' | 'twice' | 'stale' | 'endless' | 'reverted' }
  | { kind: 'error'; code: number; message: string; data?: unknown; done?: boolean }
  | { kind: 'status'; status: number; body?: string; headers?: Record<string, string> }
  | { kind: 'result'; result: unknown }
  | { kind: 'limit'; retryAfter?: string }
  | { kind: 'chain'; chainId: bigint }
  | { kind: 'nonce'; nonce: bigint }
  | {
      kind: 'batches';
      how: 'refused' | 'status' | 'each refused' | 'reversed' | 'half' | 'no ids' | 'one id' | 'page';
      most?: number;
    }
  | { kind: 'frozen'; block: bigint };

export type Liar = {
  url: string;
  /** Methods, as they were asked. */
  asked: string[];
  /** How many requests each HTTP request had. */
  sizes: number[];
  /** Lies about these methods, with this first parameter, this number of times; by default about all, until told otherwise. */
  lie(lie: Lie, when?: { methods?: readonly string[]; first?: unknown; times?: number }): void;
  /** Every second request of these is lied about. */
  flap(lie: Lie, methods?: readonly string[]): void;
  truth(): void;
  /** Stops listening, so that connections are refused, or listens again at the same port. */
  listen(on: boolean): Promise<void>;
  stop(): Promise<void>;
};

export async function rpc<T = unknown>(url: string, method: string, params: readonly unknown[] = []): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await answer.json()) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** The request in its place for a node that stopped at a block. */
function frozenRequest({ method, params, ...rest }: Request, block: bigint): Request {
  const at = `0x${block.toString(16)}`;
  return { ...rest, method, params: params.map((one) => (one === 'latest' || one === 'pending' ? at : one)) };
}

/** The true answer. */
function frozenAnswer(method: string, answer: { result?: unknown }, block: bigint): unknown {
  if (method === 'eth_blockNumber') return { ...answer, result: `0x${block.toString(16)}` };
  const { blockNumber, number } = (answer.result ?? {}) as { blockNumber?: string; number?: string };
  const of = blockNumber ?? number;
  return typeof of === 'string' && BigInt(of) > block ? { ...answer, result: null } : answer;
}

/** A JSON-RPC endpoint in front of a real one, which lies when it is told to. */
export async function startLiar(upstream: string): Promise<Liar> {
  const asked: string[] = [];
  const sizes: number[] = [];
  let told: { lie: Lie; methods: readonly string[] | undefined; first?: unknown; times: number; flaps: boolean } | undefined;
  let turn = 0;
  let before: unknown = { jsonrpc: '2.0', id: 0, result: '0x1' };

  const ask = async (request: Request) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...request });
    const answer = await fetch(upstream, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return (await answer.json()) as { result?: unknown };
  };

  function lieAbout({ method, params }: Request): Lie | undefined {
    if (told === undefined || told.lie.kind === 'batches' || told.methods?.includes(method) === false || told.times === 0)
      return undefined;
    if (told.first !== undefined && told.first !== params[0]) return undefined;
    if (told.flaps && turn++ % 2 === 0) return undefined;
    told.times--;
    return told.lie;
  }

  async function answered(request: Request, lie: Lie | undefined, response: ServerResponse): Promise<unknown> {
    const { id, method, params } = request;
    switch (lie?.kind) {
      case 'reset':
        return void response.destroy();
      case 'drop':
        await ask(request);
        return void response.destroy();
      case 'silence':
        return void (await ask(request));
      case 'twice':
        await ask(request);
        return ask(request);
      case 'stale':
        return before;
      case 'endless':
        return void endless(response);
      case 'error': {
        if (lie.done) await ask(request);
        const { code, message, data } = lie;
        return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
      }
      case 'result':
        return { jsonrpc: '2.0', id, result: lie.result };
      case 'reverted': {
        const answer = await ask(request);
        const failed = method === 'eth_getTransactionReceipt' && answer.result !== null;
        return failed ? { ...answer, result: { ...(answer.result as object), status: '0x0' } } : answer;
      }
      case 'status':
        return void response.writeHead(lie.status, lie.headers).end(lie.body ?? '<html>sorry</html>');
      case 'limit':
        if (!response.headersSent) response.writeHead(429, lie.retryAfter === undefined ? {} : { 'retry-after': lie.retryAfter });
        return {
          jsonrpc: '2.0',
          id,
          error: { code: 429, message: 'Your app has exceeded its compute units per second capacity.' },
        };
      case 'chain':
        return method === 'eth_chainId' ? { jsonrpc: '2.0', id, result: `0x${lie.chainId.toString(16)}` } : ask(request);
      case 'nonce':
        return method === 'eth_getTransactionCount' && (params[1] === 'latest' || params[1] === 'pending')
          ? { jsonrpc: '2.0', id, result: `0x${lie.nonce.toString(16)}` }
          : ask(request);
      case 'frozen':
        return frozenAnswer(method, await ask(frozenRequest(request, lie.block)), lie.block);
      default:
        return ask(request);
    }
  }

  /** In their order. Undefined: no answer. */
  async function answeredAll(requests: readonly Request[], response: ServerResponse): Promise<unknown[] | undefined> {
    const answers: unknown[] = [];
    for (const request of requests) {
      asked.push(request.method);
      const answer = await answered(request, lieAbout(request), response);
      if (answer === undefined) return undefined;
      before = answer;
      answers.push(answer);
    }
    return answers;
  }

  async function answeredBatch(requests: readonly Request[], response: ServerResponse): Promise<unknown> {
    const lie = told?.lie;
    if (lie?.kind !== 'batches' || requests.length <= (lie.most ?? 0)) return answeredAll(requests, response);
    if (lie.how === 'status') return void response.writeHead(413).end('<html>Request Entity Too Large</html>');
    if (lie.how === 'page') return void response.end('<html>hello</html>');
    const error = { code: -32600, message: 'batch too large' };
    if (lie.how === 'refused') return { jsonrpc: '2.0', id: null, error };
    if (lie.how === 'each refused') return requests.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
    const answers = (await answeredAll(requests, response)) as { id: unknown }[];
    if (lie.how === 'reversed') return answers.toReversed();
    if (lie.how === 'half') return answers.slice(0, Math.ceil(answers.length / 2));
    return answers.map(({ id, ...rest }) => (lie.how === 'one id' ? { id: requests[0]!.id, ...rest } : rest));
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = JSON.parse(await text(incoming)) as Request | Request[];
    sizes.push(Array.isArray(request) ? request.length : 1);
    const answer = Array.isArray(request)
      ? await answeredBatch(request, response)
      : (await answeredAll([request], response))?.[0];
    if (answer === undefined) return;
    if (!response.headersSent) response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  const listening = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const closed = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listening(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    sizes,
    lie: (lie, { methods, first, times = Number.POSITIVE_INFINITY } = {}) => {
      told = { lie, methods, first, times, flaps: false };
    },
    flap: (lie, methods) => {
      told = { lie, methods, times: Number.POSITIVE_INFINITY, flaps: true };
    },
    truth: () => {
      told = undefined;
    },
    listen: (on) => (on ? listening(port) : closed()),
    stop: () => (server.listening ? closed() : Promise.resolve()),
  };
}

/** Writes as fast as it is read. */
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"jsonrpc":"2.0","id":1,"result":"0x');
  const more = () => {
    while (!response.destroyed && response.write('0'.repeat(16_384)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}
