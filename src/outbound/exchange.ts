import type { LookupAddress } from 'node:dns';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { REUSING } from './connection-reuse.ts';
import { OutboundError } from './types.ts';

/** Where to connect. The addresses are already checked. */
export type Target = { url: URL; addresses: readonly LookupAddress[] };

export type Exchanged = { status: number; location: string | undefined; body: Buffer };

/** The request, beside the headers that every request has. */
export type Sending = { method: 'GET' | 'POST'; headers?: Readonly<Record<string, string>>; body?: string | Uint8Array };

export type Options = {
  signal: AbortSignal;
  maxBytes: number;
  ca?: string | undefined;
  sending?: Sending;
  /** The body is read whatever the status is. */
  readsAll?: boolean;
  /** A connection that an earlier request made to the same addresses may be used. */
  reuses?: boolean;
};

// Each connection goes to an address that was checked, so no TLS session is resumed. They use no proxy.
const ONCE = {
  plain: new HttpAgent({ keepAlive: false }),
  secure: new HttpsAgent({ keepAlive: false, maxCachedSessions: 0 }),
};

/** Answers with the addresses that were checked, whatever DNS now answers. */
export const pinned =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_name, { all }, done) => {
    const [first] = addresses;
    if (first === undefined) done(new Error('no address'), '');
    else if (all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };

/** Bytes of headers, interim answers and chunk frames beside a body. */
const AROUND = 65_536;

const tooLarge = (maxBytes: number) => new OutboundError(`its answer has more than ${maxBytes} bytes`, { mayPass: false });

/**
 * Ends an answer by the bytes that its connection receives. Interim answers and frames of tiny chunks cost as much as a body, and
 * do not count as one.
 */
export function bound(sent: ClientRequest, maxBytes: number): void {
  let answer: IncomingMessage | undefined;
  let bytes = 0;
  sent.on('response', (begun) => {
    answer = begun;
  });
  sent.on('socket', (socket) => {
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > AROUND + (answer ? maxBytes : 0)) (answer ?? sent).destroy(tooLarge(maxBytes));
    };
    socket.on('data', count);
    // The connection may be used again.
    sent.once('close', () => socket.off('data', count));
  });
}

const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

export const HEADERS = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'countersign' };

export function send(target: Target, options: Options): Promise<IncomingMessage> {
  const { url, addresses } = target;
  const { signal, ca, maxBytes, sending, reuses = false } = options;
  const { method = 'GET', headers, body } = sending ?? {};
  const length = body === undefined ? undefined : { 'content-length': String(Buffer.byteLength(body)) };
  const agents = reuses ? REUSING : ONCE;
  const request = { method, headers: { ...HEADERS, ...headers, ...length }, lookup: pinned(addresses), signal, addresses };
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const begin = (answer: IncomingMessage) => {
      isAnswered = true;
      resolve(answer);
    };
    const sent =
      url.protocol === 'https:'
        ? requestHttps(url, { ...request, agent: agents.secure, ...(ca === undefined ? {} : { ca }) }, begin)
        : requestHttp(url, { ...request, agent: agents.plain }, begin);
    sent.on('error', (error) => {
      // The reader of the answer gets the error too.
      if (isAnswered) return;
      // The receiver closed it before this request came.
      if (sent.reusedSocket && CLOSED.has((error as NodeJS.ErrnoException).code ?? '') && !signal.aborted)
        resolve(send(target, { ...options, reuses: false }));
      else reject(error);
    });
    bound(sent, maxBytes);
    sent.end(body);
  });
}

export async function read(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(answer.headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** One request and its answer. The body is read if the status is 200, or if all are. */
export async function exchange(target: Target, options: Options): Promise<Exchanged> {
  const answer = await send(target, options);
  try {
    const status = answer.statusCode ?? 0;
    const body = status === 200 || options.readsAll ? await read(answer, options.maxBytes) : Buffer.alloc(0);
    return { status, location: answer.headers.location, body };
  } finally {
    answer.destroy();
  }
}
