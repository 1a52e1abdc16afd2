import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../base/errors.ts';
import type { Bounds, CloseReason } from './bounds.ts';
import { wireError } from './errors.ts';
import { type UnreadAnswers, unreadAnswers } from './unread.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The first of `unanswered` is carried out, the others wait. `last` ends the connection once the earlier requests are answered. */
export type Connection = {
  handle: Handler;
  unanswered: Set<ServerResponse>;
  asked: boolean;
  holdsBack: boolean;
  last?: (() => void) | undefined;
};

/** The open connections of some servers, which share bounds. */
export type Table = {
  bounds: Bounds;
  closed(why: CloseReason): void;
  /** The connection with the latest request is last. */
  open: Map<Duplex, Connection>;
  /** Connections that have their last answer. Further input is ignored. */
  ending: WeakSet<Duplex>;
  unread: UnreadAnswers;
};

export function newTable(bounds: Bounds, closed: Table['closed']): Table {
  const unread = unreadAnswers(bounds, (socket, why) => cut(table, socket, why));
  const table: Table = { bounds, closed, open: new Map(), ending: new WeakSet(), unread };
  return table;
}

/** True if the service has nothing to do for it. It has no request, an incomplete one, or an answer that the client does not read. */
function waitsForClient({ unanswered }: Connection): boolean {
  const [first] = unanswered;
  return first === undefined || first.writableEnded || first.writableLength > 0 || !first.req.complete;
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

export function cut({ closed, open, unread }: Table, socket: Duplex, why: CloseReason): void {
  closed(why);
  open.delete(socket);
  unread.forget(socket);
  socket.destroy();
}

/** Answers a connection that has no request, and closes it. */
export function endWith({ bounds, ending }: Table, socket: Duplex, status: number, error: ApiError): void {
  ending.add(socket);
  answerAndClose(socket, status, error, bounds.lingerMs);
}

/** Whether the client has a part of the answer, and the service has more: a long list that waits for its turn. */
function isListed({ unanswered }: Connection): boolean {
  const [first] = unanswered;
  return first?.headersSent === true && !first.writableEnded;
}

/**
 * Closes the connection that has waited longest for its client, so that idle connections do not exclude other clients. If none
 * waits, the list that was asked for last gives way: all earlier lists are completed.
 */
function makeRoom(table: Table): boolean {
  const { bounds, open } = table;
  if (open.size < bounds.connections) return true;
  for (const [socket, connection] of open) {
    if (!waitsForClient(connection)) continue;
    cut(table, socket, 'crowded_out');
    return true;
  }
  const list = [...open].findLast(([, connection]) => isListed(connection));
  if (list === undefined) return false;
  cut(table, list[0], 'crowded_out');
  return true;
}

/** Takes up a new connection, or answers that there is no room. */
export function admit(table: Table, socket: Duplex, handle: Handler): void {
  const { closed, open, unread } = table;
  const room = makeRoom(table);
  open.set(socket, { handle, unanswered: new Set(), asked: false, holdsBack: false });
  socket.once('close', () => {
    open.delete(socket);
    unread.forget(socket);
  });
  if (room) return;
  closed('full');
  endWith(table, socket, 503, new ApiError('UNAVAILABLE', 'the service has too many connections: try again later'));
}
