import {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { toClient } from './headers.ts';
import { refuse } from './refuse.ts';
import type { IngressBounds } from './types.ts';
import { joinWebSocket } from './web-socket.ts';

/** Also for the head of an app's answer. */
export const HEADER_BYTES = 16_384;

export interface Forwarded {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socketPath: string;
  readonly headers: OutgoingHttpHeaders;
  /** Of a WebSocket: the client's connection, and the bytes after the request's head. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer };
}

/** Sends the request to the app, and the app's answer to the client, both as they come. Each has a connection of its own. */
export function forward(wish: Forwarded, { answerMs, idleMs }: IngressBounds, failed: (reason: string) => void): void {
  const { request, response, socketPath, headers, upgrade } = wish;
  const { method, url: path } = request;
  const client = send({ socketPath, method, path, headers, agent: false, setHost: false, maxHeaderSize: HEADER_BYTES });
  const fail = (status: number, reason: string, message: string) => {
    if (!response.headersSent && !response.destroyed) failed(reason);
    refuse(response, status, message);
    client.destroy();
  };
  let isAnswered = false;
  let timer: NodeJS.Timeout | undefined;
  const answered = () => {
    isAnswered = true;
    clearTimeout(timer);
  };
  const late = () => fail(504, 'late', 'The app did not answer in time.');
  client.once('finish', () => {
    if (!isAnswered) timer = setTimeout(late, answerMs);
  });
  client.once('close', () => clearTimeout(timer));
  client.setTimeout(idleMs, late);
  // An app may answer before it has read the whole request, and close. The answer's own stream has its own errors.
  client.on('error', () => {
    if (!isAnswered) fail(502, 'broken', 'The app ended the connection without an answer.');
  });
  response.once('close', () => client.destroy());

  client.once('response', (answer) => {
    answered();
    sendOn(answer, wish, fail);
  });
  client.once('upgrade', (answer, socket, head) => {
    answered();
    if (upgrade === undefined) {
      socket.destroy();
      return fail(502, 'broken', 'The app changed the protocol, which the client did not ask for.');
    }
    joinWebSocket({ answer, app: { socket, head }, client: upgrade, response, idleMs });
  });

  sendBody(wish, client);
}

function sendBody({ request, upgrade }: Forwarded, client: ClientRequest): void {
  if (upgrade !== undefined) return void client.end();
  request.pipe(client);
  request.once('close', () => {
    if (!request.complete) client.destroy();
  });
}

function sendOn(
  answer: IncomingMessage,
  { response }: Forwarded,
  fail: (status: number, reason: string, message: string) => void,
): void {
  try {
    // A proxy could take a 101 for a new protocol. It would send on what follows unread: requests in its own name.
    if (answer.statusCode! < 200) throw new RangeError('an interim answer ends the request');
    response.writeHead(answer.statusCode!, toClient(answer));
    response.flushHeaders();
  } catch {
    fail(502, 'broken', "The app's answer is no HTTP.");
    return;
  }
  answer.pipe(response);
  answer.once('close', () => {
    if (!answer.complete) response.destroy();
  });
}
