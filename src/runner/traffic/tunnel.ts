import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Connect } from '../../outbound/connect.ts';
import { OutboundError } from '../../outbound/types.ts';
import { joinSockets } from './join.ts';
import { targetOf } from './target.ts';
import type { EgressBounds } from './types.ts';

export interface Tunnel {
  /** As the app wrote it. */
  readonly target: string;
  readonly socket: Socket;
  /** Bytes that came with the request. */
  readonly head: Buffer;
  readonly connect: Connect;
  readonly bounds: EgressBounds;
  readonly stop: AbortSignal;
  readonly refused: (reason: string) => void;
}

/** How long an app may take to read why it was refused. */
const LINGER_MS = 2000;

function answer(socket: Socket, status: number, message: string): void {
  const body = `${message}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.setTimeout(LINGER_MS, () => socket.destroy());
  // Without it the end of the app's side is not seen.
  socket.resume();
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Answers a CONNECT, and joins the app to its target. */
export async function tunnel({ target, socket, head, connect, bounds, stop, refused }: Tunnel): Promise<void> {
  const ended = new AbortController();
  socket.on('error', () => socket.destroy());
  socket.once('close', () => ended.abort());
  const parsed = targetOf(target);
  if (parsed === undefined) {
    refused('malformed');
    return answer(socket, 400, 'The target of CONNECT is host:port.');
  }
  const signal = AbortSignal.any([AbortSignal.timeout(bounds.connectMs), ended.signal, stop]);
  let other: Socket;
  try {
    other = await connect(parsed.hostname, parsed.port, signal);
  } catch (error) {
    const mayPass = !(error instanceof OutboundError) || error.mayPass;
    refused(mayPass ? 'unreachable' : 'forbidden');
    return answer(socket, mayPass ? 502 : 403, (error as Error).message);
  }
  if (socket.destroyed) return void other.destroy();
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  joinSockets(
    [
      { socket, head },
      { socket: other, head: Buffer.alloc(0) },
    ],
    bounds.idleMs,
  );
}
