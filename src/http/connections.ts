import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../base/errors.ts';
import { wireError } from './errors.ts';

/** What clients may take before anybody knows who they are. Times in milliseconds. */
export type Bounds = Readonly<{
  /** Connections at once. */
  connections: number;
  /** Requests of one connection that wait for their answers. */
  unanswered: number;
  /** For the headers of a request, from the connection's start or the request's first byte. */
  headersMs: number;
  /** For a whole request. */
  requestMs: number;
  /** Without a byte in either direction, while a request arrives or an answer is read. */
  stallMs: number;
  /** Between an answer and the next request: longer than load balancers keep connections. */
  keepAliveMs: number;
  /** For a client to read why its connection ends. */
  lingerMs: number;
}>;

export const BOUNDS: Omit<Bounds, 'connections'> = {
  unanswered: 16,
  headersMs: 20_000,
  requestMs: 60_000,
  stallMs: 120_000,
  keepAliveMs: 72_000,
  lingerMs: 2000,
};

/** Connections beyond the bound that are told so; those beyond are closed without a word. */
const TOLD = 64;

/** CloseReason a connection was closed that its client might have kept. */
export type CloseReason = 'pipelined' | 'unreadable' | 'late' | 'crowded_out' | 'full';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** `last`: what ends the connection once the requests before it are answered. */
type Connection = { unanswered: Set<ServerResponse>; asked: boolean; last?: (() => void) | undefined };

export type Connections = {
  /** A server under these bounds. All servers of one table share them. */
  serve(handle: Handler): Server;
  /** Closes those on which no request has arrived yet. */
  closeSilent(): void;
};

/** The service has nothing to do for it: no request, one that has not arrived whole, or an answer that the client does not take. */
const waitsForClient = ({ unanswered }: Connection): boolean =>
  [...unanswered].every(({ req, writableEnded }) => writableEnded || !req.complete);

const owesAnswers = ({ unanswered }: Connection): boolean => [...unanswered].some(({ req }) => req.complete);

function endIfAnswered(connection: Connection): void {
  const { last } = connection;
  if (last === undefined || owesAnswers(connection)) return;
  connection.last = undefined;
  last();
}

/**
 * Node.js makes requests of all that is left in a chunk, thousands, even after their socket was destroyed. 2 is what its parser
 * stops at: "no HTTP from here on". Undocumented: where a version does it otherwise, the rest costs time and is ignored.
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
  /** All that are open; who asked last comes last. */
  const open = new Map<Duplex, Connection>();
  /** Told why they end; what they still send counts for nothing. */
  const ending = new WeakSet<Duplex>();

  function cut(socket: Duplex, why: CloseReason): void {
    closed(why);
    open.delete(socket);
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
    // Who said nothing expects no answer, and one that has begun cannot become another.
    if (socket.bytesRead === 0 || [...connection.unanswered].some((one) => !one.req.complete && one.headersSent)) {
      cut(socket, why);
      return;
    }
    closed(why);
    ending.add(socket);
    connection.last = () => socket.writable && endWith(socket, status, new ApiError('REQUEST_INVALID', message));
    endIfAnswered(connection);
  }

  /** Whoever lets the service wait makes room, the one that waited longest first: idle connections shut nobody out. */
  function makeRoom(): boolean {
    if (open.size < bounds.connections) return true;
    for (const [socket, connection] of open) {
      if (!waitsForClient(connection)) continue;
      cut(socket, 'crowded_out');
      return true;
    }
    return false;
  }

  function admit(socket: Duplex): void {
    const room = makeRoom();
    open.set(socket, { unanswered: new Set(), asked: false });
    socket.once('close', () => open.delete(socket));
    if (room) return;
    closed('full');
    endWith(socket, 503, new ApiError('UNAVAILABLE', 'the service has too many connections: try again later'));
  }

  /** One function for all: this is on every request's way. */
  function settled(this: ServerResponse): void {
    const connection = open.get(this.req.socket);
    if (connection === undefined) return;
    connection.unanswered.delete(this);
    endIfAnswered(connection);
  }

  const guarded =
    (handle: Handler): Handler =>
    (request, response) => {
      const { socket } = request;
      const connection = open.get(socket);
      // The parser goes on to the end of the chunk after its connection was cut.
      if (connection === undefined) return;
      // Nobody will answer it: counted, it would keep the connection, and keep it from making room.
      if (ending.has(socket)) return stopParsing(socket);
      const { unanswered } = connection;
      if (unanswered.size === bounds.unanswered) {
        stopParsing(socket);
        return cut(socket, 'pipelined');
      }
      unanswered.add(response);
      response.on('close', settled);
      connection.asked = true;
      open.delete(socket);
      open.set(socket, connection);
      handle(request, response);
    };

  return {
    serve(handle) {
      const server = createServer(
        {
          headersTimeout: bounds.headersMs,
          requestTimeout: bounds.requestMs,
          keepAliveTimeout: bounds.keepAliveMs,
          connectionsCheckingInterval: Math.min(1000, bounds.headersMs),
          // Node.js would answer those itself, past the count.
          requireHostHeader: false,
        },
        guarded(handle),
      );
      server.timeout = bounds.stallMs;
      server.maxConnections = bounds.connections + TOLD;
      server.on('connection', admit);
      server.on('clientError', unreadable);
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      return server;
    },
    closeSilent() {
      for (const [socket, { asked }] of open) if (!asked) socket.destroy();
    },
  };
}
