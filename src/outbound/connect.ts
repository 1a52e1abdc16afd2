import { connect, type Socket } from 'node:net';
import type { Allowed } from './allowed.ts';
import { ALLOWED, checkedAddresses, RESOLVE, type Rules } from './check.ts';
import { pinned } from './exchange.ts';
import { OutboundError } from './types.ts';
import { until } from './until.ts';

/** Opens a connection to a host as `URL` writes it. Throws OutboundError, whose text is for the caller. */
export type Connect = (hostname: string, port: number, signal: AbortSignal) => Promise<Socket>;

/** The bytes of a connection are not looked at. On another port they could be mail in the operator's name. */
const PORT = 443;

function opened(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** Connects to port 443 of public addresses, and to each host and port that the operator allowed. */
export function guardedConnect({ allowed, resolve = RESOLVE }: { allowed: Allowed; resolve?: Rules['resolve'] }): Connect {
  return async (hostname, port, signal) => {
    const shown = `${hostname}:${port}`;
    if (port !== PORT && !allowed.has(shown))
      throw new OutboundError(`${shown} has another port than ${PORT}${ALLOWED}`, { mayPass: false });
    let socket: Socket | undefined;
    try {
      const addresses = await until(signal, checkedAddresses({ hostname, port, shown }, { allowed, resolve }, signal));
      socket = connect({ host: hostname, port, lookup: pinned(addresses), allowHalfOpen: true, noDelay: true });
      return await until(signal, opened(socket));
    } catch (error) {
      socket?.destroy();
      if (error instanceof OutboundError) throw error;
      throw new OutboundError(`${shown} could not be reached`, { mayPass: true });
    }
  };
}
