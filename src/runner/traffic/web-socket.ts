import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endToEnd } from './headers.ts';
import { joinSockets, type Side } from './join.ts';

/** A request for a WebSocket. Other upgrades, and upgrades with a body, are ordinary requests. */
export const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined;

/** Tells the client the app's agreement, and joins both connections until one ends or both are idle. */
export function joinWebSocket(parts: {
  answer: IncomingMessage;
  app: Side;
  client: Side;
  response: ServerResponse;
  idleMs: number;
}) {
  const { answer, app, client, response, idleMs } = parts;
  response.writeHead(101, { ...endToEnd(answer), connection: 'Upgrade', upgrade: 'websocket' });
  response.flushHeaders();
  response.detachSocket(client.socket as Socket);
  joinSockets([app, client], idleMs);
}
