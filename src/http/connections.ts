import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '../base/errors.ts';
import { wireError } from './errors.ts';

/** Limits on clients, which hold before authentication. Times in milliseconds. */
export type Bounds = Readonly<{
  /** The most open connections. */
  connections: number;
  /** Requests of one connection that wait for their answers. Only the first of them is carried out. */
  unanswered: number;
  /** Bytes of bodies of one connection's waiting requests. Node.js keeps them in this process. */
  waitingBytes: number;
  /** Bytes of answers in this process that their clients have not taken, of all connections together. */
  unreadBytes: number;
  /** For the headers of a request, from the connection's start or the request's first byte. */
  headersMs: number;
  /** For a whole request. */
  requestMs: number;
  /** Without a byte in either direction, while a request arrives or an answer is read. */
  stallMs: number;
  /** For a client to take a whole answer, from its beginning. */
  answerMs: number;
  /** Between an answer and the next request: longer than load balancers keep connections. */
  keepAliveMs: number;
  /** For a client to read why its connection ends. */
  lingerMs: number;
}>;

export const BOUNDS: Omit<Bounds, 'connections'> = {
  unanswered: 16,
  // Clients with several connections put no body behind another request.
  waitingBytes: 64 * 1024,
  // The same limit as for unfinished bodies. That is a slice of a list for each of a thousand slow readers. On a small machine
  // it is a small part.
  unreadBytes: 64 * 1024 * 1024,
  headersMs: 20_000,
  requestMs: 60_000,
  stallMs: 120_000,
  // A list of a gigabyte at 2 MB/s. A client that reads byte by byte holds only a slice of it, and the connection, for as long.
  answerMs: 600_000,
  keepAliveMs: 72_000,
  lingerMs: 2000,
};

/** The reason for closing a connection that its client may have wanted to keep. */
export type CloseReason = 'pipelined' | 'unreadable' | 'late' | 'unread' | 'too_slow' | 'crowded_out' | 'full';

/** Connections beyond the bound that get an answer. Further ones are closed without one. */
const TOLD = 64;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

type Connection = {
  handle: Handler;
  unanswered: Set<ServerResponse>;
  /** It has sent a whole head of a request. */
  hasAsked: boolean;
  /** It has its last answer, or waits for it. */
  ending: boolean;
  /** Requests since then, which are not answered. Node.js keeps each until the connection closes. */
  ignored: number;
  waitingBytes: number;
  /** Since an answer began. Of a stream: never above the bound. */
  answeringMs: number;
};

export type Connections = {
  /** A server under these bounds. All servers of one table share them. */
  serve(handle: Handler): Server;
  /** Closes the connections that have sent no whole head of a request. */
  closeSilent(): void;
  /** This answer is a stream, which its client takes for as long as it is open. */
  stream(response: ServerResponse): void;
};

/** True if the service has nothing to do for it. It has no request, an incomplete one, or an answer that the client does not read. */
function waitsForClient({ unanswered }: Connection): boolean {
  const [first] = unanswered;
  return first === undefined || first.writableEnded || first.writableLength > 0 || !first.req.complete;
}

/** Whether the client has a part of the answer, and the service has more. Such is a long list that waits for its turn. */
function isListed({ unanswered }: Connection): boolean {
  const [first] = unanswered;
  return first?.headersSent === true && !first.writableEnded;
}

/** The bytes that a request's body may have. */
const bodyBytes = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;

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

/** At the close Node.js makes an error for each request that it has read, perhaps thousands. Without stacks they cost a quarter. */
function closeWithoutStacks(socket: Socket): void {
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}

export function connections(bounds: Bounds, closed: (why: CloseReason) => void): Connections {
  /** The connection with the latest request is last. */
  const open = new Map<Socket, Connection>();
  /** The service makes some 100 MB of answers in a second. */
  const countMs = Math.min(1000, bounds.answerMs);
  let counting: NodeJS.Timeout | undefined;

  function cut(socket: Socket, why: CloseReason): void {
    closed(why);
    open.delete(socket);
    socket.destroy();
  }

  /** Closes connections whose clients leave too much unread. The largest is above a fair share, so no client suffers for others. */
  function countUnread(): void {
    for (const [socket, connection] of open) {
      const [first] = connection.unanswered;
      if (!first?.headersSent) continue;
      connection.answeringMs += countMs;
      if (connection.answeringMs > bounds.answerMs) cut(socket, 'too_slow');
    }
    const waiting = [...open.keys()].filter(({ writableLength }) => writableLength > 0);
    let total = waiting.reduce((sum, { writableLength }) => sum + writableLength, 0);
    for (const socket of waiting.sort((a, b) => b.writableLength - a.writableLength)) {
      if (total <= bounds.unreadBytes) return;
      total -= socket.writableLength;
      cut(socket, 'unread');
    }
  }

  /**
   * Closes the connection that has waited longest for its client, so that idle connections do not exclude other clients. If none
   * waits, the list that was asked for last gives way: all earlier lists are completed.
   */
  function makeRoom(): boolean {
    if (open.size < bounds.connections) return true;
    // Without a copy of the table: the first one is nearly always at its beginning.
    for (const [socket, connection] of open) {
      if (!waitsForClient(connection)) continue;
      cut(socket, 'crowded_out');
      return true;
    }
    const list = [...open].findLast(([, each]) => isListed(each));
    if (list !== undefined) cut(list[0], 'crowded_out');
    return list !== undefined;
  }

  function admit(socket: Socket, handle: Handler): void {
    const room = makeRoom();
    open.set(socket, {
      handle,
      unanswered: new Set(),
      hasAsked: false,
      ending: !room,
      ignored: 0,
      waitingBytes: 0,
      answeringMs: 0,
    });
    counting ??= setInterval(countUnread, countMs).unref();
    socket.once('close', () => {
      open.delete(socket);
      if (open.size > 0) return;
      clearInterval(counting);
      counting = undefined;
    });
    if (room) return;
    closed('full');
    const error = new ApiError('UNAVAILABLE', 'the service has too many connections: try again later');
    answerAndClose(socket, 503, error, bounds.lingerMs);
  }

  /** The kernel has the answer, or its connection has ended. A single shared function, because this is on the hot path. */
  function settled(this: ServerResponse): void {
    const { socket } = this.req;
    const connection = open.get(socket);
    if (connection === undefined) return;
    connection.unanswered.delete(this);
    connection.answeringMs = 0;
    const [next] = connection.unanswered;
    // After the last answer of a connection the socket only ends.
    if (next === undefined || !socket.writable) return;
    connection.waitingBytes -= bodyBytes(next.req);
    connection.handle(next.req, next);
  }

  function take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = open.get(socket);
    // Node.js hands over every request of the 64 KiB that it has read, also after the connection was closed.
    if (connection === undefined) return;
    const { unanswered } = connection;
    connection.hasAsked = true;
    if (connection.ending || unanswered.size > 0) connection.waitingBytes += bodyBytes(request);
    if (connection.ending) connection.ignored += 1;
    else unanswered.add(response);
    if (unanswered.size + connection.ignored > bounds.unanswered || connection.waitingBytes > bounds.waitingBytes) {
      closeWithoutStacks(socket);
      cut(socket, 'pipelined');
      return;
    }
    if (connection.ending) return;
    response.on('close', settled);
    open.delete(socket);
    open.set(socket, connection);
    if (unanswered.size === 1) connection.handle(request, response);
  }

  /** Answers malformed, oversized or slow requests, which Node.js rejects, once the requests before them are answered. */
  function unreadable(error: Error & { code?: string }, socket: Socket): void {
    const connection = open.get(socket);
    if (connection?.ending) return;
    if (connection === undefined || error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, message } = refusal(error);
    const why = status === 408 ? 'late' : 'unreadable';
    const unanswered = [...connection.unanswered];
    // A silent client expects no answer, and an answer that has begun cannot be replaced.
    if (socket.bytesRead === 0 || unanswered.some((one) => !one.req.complete && one.headersSent)) {
      cut(socket, why);
      return;
    }
    closed(why);
    connection.ending = true;
    const refuse = () =>
      socket.writable && answerAndClose(socket, status, new ApiError('REQUEST_INVALID', message), bounds.lingerMs);
    const before = unanswered.findLast(({ req }) => req.complete);
    if (before === undefined) refuse();
    else before.once('close', refuse);
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
        },
        take,
      );
      server.timeout = bounds.stallMs;
      server.maxConnections = bounds.connections + TOLD;
      server.on('connection', (socket) => admit(socket, handle));
      server.on('clientError', (error, socket) => unreadable(error, socket as Socket));
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      return server;
    },
    stream({ req }) {
      const connection = open.get(req.socket);
      if (connection !== undefined) connection.answeringMs = Number.NEGATIVE_INFINITY;
    },
    closeSilent() {
      for (const [socket, { hasAsked }] of open) if (!hasAsked) socket.destroy();
    },
  };
}
