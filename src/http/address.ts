import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Where a request came from. Each of our own proxies appended whom it was called by to X-Forwarded-For: the last
 * `proxies` entries are theirs, and whatever comes before them is the caller's to invent.
 */
export function addressOf({ headers, socket }: IncomingMessage, proxies: number): string | undefined {
  const header = headers['x-forwarded-for'];
  if (proxies === 0 || header === undefined) return socket.remoteAddress;
  const said = String(header).split(',').slice(-proxies);
  const address = said[0]!.trim();
  return isIP(address) === 0 ? socket.remoteAddress : address;
}
