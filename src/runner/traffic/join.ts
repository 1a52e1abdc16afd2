import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface Side {
  readonly socket: Duplex;
  /** Bytes that were read with an HTTP head. */
  readonly head: Buffer;
}

/** Sends on what each side says, until one closes or is idle. */
export function joinSockets([one, other]: readonly [Side, Side], idleMs: number): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.socket.on('error', () => to.socket.destroy());
    // After a whole end the other side may still have bytes to take.
    from.socket.once('close', () => {
      if (!from.socket.readableEnded || !from.socket.writableFinished) to.socket.destroy();
    });
    if (from.socket instanceof Socket) from.socket.setTimeout(idleMs, () => from.socket.destroy());
    if (from.head.length > 0) to.socket.write(from.head);
    from.socket.pipe(to.socket);
  }
}
