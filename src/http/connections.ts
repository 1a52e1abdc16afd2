import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../base/errors.ts';
import type { Bounds, CloseReason } from './bounds.ts';
import { admit, type Connection, cut, endWith, type Handler, newTable, type Table } from './connection-table.ts';
import { responsesOf } from './unread.ts';

export { BOUNDS, type Bounds, type CloseReason } from './bounds.ts';

/** Connections beyond the bound that get an answer. Further ones are closed without one. */
const TOLD = 64;

export type Connections = {
  /** A server under these bounds. All servers of one table share them. */
  serve(handle: Handler): Server;
  /** Closes the connections without any request so far. */
  closeSilent(): void;
};

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

/** Answers malformed, oversized or slow requests, which are rejected before parsing. */
function unreadable(table: Table, error: Error & { code?: string }, socket: Duplex & { bytesRead?: number }): void {
  const { closed, open, ending } = table;
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
    cut(table, socket, why);
    return;
  }
  closed(why);
  ending.add(socket);
  connection.last = () => socket.writable && endWith(table, socket, status, new ApiError('REQUEST_INVALID', message));
  endIfAnswered(connection);
}

export function connections(bounds: Bounds, closed: (why: CloseReason) => void): Connections {
  const table = newTable(bounds, closed);
  const { open, ending, unread } = table;

  /** Node.js resumes a socket at the end of each request. */
  function pauseAgain(this: Duplex): void {
    if ((open.get(this)?.unanswered.size ?? 0) > 1) this.pause();
  }

  /** Reads nothing more while a request waits, so that at most the rest of a chunk waits. */
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

  /** The kernel has the answer, or its connection has ended. A single shared function, because this is on the hot path. */
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
      cut(table, socket, 'pipelined');
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
          ServerResponse: responsesOf(unread),
        },
        take,
      );
      server.timeout = bounds.stallMs;
      server.maxConnections = bounds.connections + TOLD;
      server.on('connection', (socket) => admit(table, socket, handle));
      server.on('clientError', (error, socket) => unreadable(table, error, socket));
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      return server;
    },
    closeSilent() {
      for (const [socket, { asked }] of open) if (!asked) socket.destroy();
    },
  };
}
