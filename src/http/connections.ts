import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../base/errors.ts';
import { wireError } from './errors.ts';
import { unreadAnswers } from './unread.ts';

/** Limits on clients, which hold before authentication. Times in milliseconds. */
export type Bounds = Readonly<{
  /** Connections at once. */
  connections: number;
  /** Requests of one connection that wait for their answers. Only the first of them is carried out. */
  unanswered: number;
  /** Bytes of answers in this process that their clients have not taken, of all connections together. */
  unreadBytes: number;
  /** For the headers of a request, from the connection's start or the request's first byte. */
  headersMs: number;
  /** For a whole request. */
  requestMs: number;
  /** Without a byte in either direction, while a request arrives or an answer is read. */
  stallMs: number;
  /** For a client to take a whole answer, from the first part of it that waits in this process. */
  answerMs: number;
  /** Between an answer and the next request: longer than load balancers keep connections. */
  keepAliveMs: number;
  /** For a client to read why its connection ends. */
  lingerMs: number;
}>;

export const BOUNDS: Omit<Bounds, 'connections'> = {
  unanswered: 16,
  // As much as for unfinished bodies: a slice of a list for each of a thousand slow readers, and a small part of a small machine.
  unreadBytes: 64 * 1024 * 1024,
  headersMs: 20_000,
  requestMs: 60_000,
  stallMs: 120_000,
  // A list of a gigabyte at 2 MB/s. Who reads byte by byte holds no more than a slice of it, and the connection, for as long.
  answerMs: 600_000,
  keepAliveMs: 72_000,
  lingerMs: 2000,
};

/** Connections beyond the bound that get an answer. Further ones are closed without one. */
const TOLD = 64;

/** The reason for closing a connection that its client may have wanted to keep. */
export type CloseReason = 'pipelined' | 'unreadable' | 'late' | 'unread' | 'too_slow' | 'crowded_out' | 'full';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The first of `unanswered` is carried out, the others wait. `last` ends the connection once the earlier requests are answered. */
type Connection = {
  handle: Handler;
  unanswered: Set<ServerResponse>;
  asked: boolean;
  holdsBack: boolean;
  last?: (() => void) | undefined;
};

export type Connections = {
  /** A server under these bounds. All servers of one table share them. */
  serve(handle: Handler): Server;
  /** Closes the connections without any request so far. */
  closeSilent(): void;
};

/** True if the service has nothing to do for it: no request, an incomplete one, or an answer that the client does not read. */
function waitsForClient({ unanswered }: Connection): boolean {
  const [first] = unanswered;
  return first === undefined || first.writableEnded || first.writableNeedDrain || !first.req.complete;
}

const owesAnswers = ({ unanswered }: Connection): boolean => [...unanswered].some(({ req }) => req.complete);

function endIfAnswered(connection: Connection): void {
  const { last } = connection;
  if (last === undefined || owesAnswers(connection)) return;
  connection.last = undefined;
  last();
}

/**
 * Node.js parses every request in a chunk, possibly thousands, even after their socket was destroyed. Its parser stops at the
 * result 2 ("not HTTP from here on"). This is undocumented: in a version without it, the rest is parsed and ignored.
 */
function stopParsing(socket: Duplex & { parser?: { onIncoming: unknown } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
}

function refusal({ code }: Error & { code?: string }): { status: number; message: string } {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, message: 'bad request: its headers are larger than 16 KiB' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, message: 'bad request: it did not arrive in time' };
  return { status: 400, message: 'bad request: malformed HTTP' };
}

/** A client that does not close its side would keep the descriptor. It may read for `lingerMs`: a reset would drop the answer. */
function answerAndClose(socket: Duplex, status: number, error: ApiError, lingerMs: number): void {
  const { body } = wireError(error);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

export function connections(bounds: Bounds, closed: (why: CloseReason) => void): Connections {
  /** The open connections, the one with the latest request last. */
  const open = new Map<Duplex, Connection>();
  /** Connections that have their last answer. Further input is ignored. */
  const ending = new WeakSet<Duplex>();
  const unread = unreadAnswers(bounds, cut);

  class Response extends ServerResponse {
    override write(chunk: unknown, encoding?: unknown, done?: unknown): boolean {
      const more = super.write(chunk, encoding as BufferEncoding, done as () => void);
      if (this.socket) unread.wrote(this.socket);
      return more;
    }

    override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
      super.end(chunk, encoding as BufferEncoding, done as () => void);
      if (this.socket) unread.wrote(this.socket);
      return this;
    }
  }

  function cut(socket: Duplex, why: CloseReason): void {
    closed(why);
    open.delete(socket);
    unread.forget(socket);
    socket.destroy();
  }

  function endWith(socket: Duplex, status: number, error: ApiError): void {
    ending.add(socket);
    answerAndClose(socket, status, error, bounds.lingerMs);
  }

  /** Answers malformed, oversized or slow requests, which are rejected before parsing. */
  function unreadable(error: Error & { code?: string }, socket: Duplex & { bytesRead?: number }): void {
    if (ending.has(socket)) return;
    const connection = open.get(socket);
    if (connection === undefined || error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, message } = refusal(error);
    const why = status === 408 ? 'late' : 'unreadable';
    // A silent client expects no answer, and an answer that has begun cannot be replaced.
    if (socket.bytesRead === 0 || [...connection.unanswered].some((one) => !one.req.complete && one.headersSent)) {
      cut(socket, why);
      return;
    }
    closed(why);
    ending.add(socket);
    connection.last = () => socket.writable && endWith(socket, status, new ApiError('REQUEST_INVALID', message));
    endIfAnswered(connection);
  }

  /** Closes the connection that has waited longest for its client, so that idle connections exclude nobody. */
  function makeRoom(): boolean {
    if (open.size < bounds.connections) return true;
    for (const [socket, connection] of open) {
      if (!waitsForClient(connection)) continue;
      cut(socket, 'crowded_out');
      return true;
    }
    return false;
  }

  function admit(socket: Duplex, handle: Handler): void {
    const room = makeRoom();
    open.set(socket, { handle, unanswered: new Set(), asked: false, holdsBack: false });
    socket.once('close', () => {
      open.delete(socket);
      unread.forget(socket);
    });
    if (room) return;
    closed('full');
    endWith(socket, 503, new ApiError('UNAVAILABLE', 'the service has too many connections: try again later'));
  }

  /** Node.js resumes a socket at the end of each request. */
  function pauseAgain(this: Duplex): void {
    if ((open.get(this)?.unanswered.size ?? 0) > 1) this.pause();
  }

  /** Reads nothing more while a request waits, so that what waits is at most the rest of a chunk. */
  function holdBack(socket: Duplex, connection: Connection): void {
    if (!connection.holdsBack) socket.on('resume', pauseAgain);
    connection.holdsBack = true;
    socket.pause();
  }

  function startNext(socket: Duplex, { handle, unanswered }: Connection): void {
    const [next] = unanswered;
    // After the last answer of a connection the socket only ends.
    if (next === undefined || !socket.writable) return;
    if (unanswered.size === 1) socket.resume();
    handle(next.req, next);
  }

  /** The answer is with the kernel, or its connection has ended. A single shared function, because this is on the hot path. */
  function settled(this: ServerResponse): void {
    const { socket } = this.req;
    const connection = open.get(socket);
    if (connection === undefined) return;
    connection.unanswered.delete(this);
    unread.forget(socket);
    startNext(socket, connection);
    endIfAnswered(connection);
  }

  function take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = open.get(socket);
    // The parser continues to the end of the chunk after its connection was closed.
    if (connection === undefined) return;
    // It will not be answered. If it were counted, the connection could not be closed to make room.
    if (ending.has(socket)) {
      stopParsing(socket);
      return;
    }
    const { unanswered } = connection;
    if (unanswered.size === bounds.unanswered) {
      stopParsing(socket);
      cut(socket, 'pipelined');
      return;
    }
    unanswered.add(response);
    response.on('close', settled);
    connection.asked = true;
    open.delete(socket);
    open.set(socket, connection);
    if (unanswered.size > 1) holdBack(socket, connection);
    else connection.handle(request, response);
  }

  return {
    serve(handle) {
      const server = createServer(
        {
          headersTimeout: bounds.headersMs,
          requestTimeout: bounds.requestMs,
          keepAliveTimeout: bounds.keepAliveMs,
          connectionsCheckingInterval: Math.min(1000, bounds.headersMs),
          // Otherwise Node.js answers such requests itself, and they are not counted.
          requireHostHeader: false,
          ServerResponse: Response,
        },
        take,
      );
      server.timeout = bounds.stallMs;
      server.maxConnections = bounds.connections + TOLD;
      server.on('connection', (socket) => admit(socket, handle));
      server.on('clientError', unreadable);
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      return server;
    },
    closeSilent() {
      for (const [socket, { asked }] of open) if (!asked) socket.destroy();
    },
  };
}
