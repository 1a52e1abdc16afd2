import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The client's address. Each of our proxies appends its caller's address to X-Forwarded-For: the last `proxies` entries
 * are trustworthy, and the client can forge any before them.
 */
export function addressOf({ headers, socket }: IncomingMessage, proxies: number): string | undefined {
  const header = headers['x-forwarded-for'];
  if (proxies === 0 || header === undefined) return socket.remoteAddress;
  const said = String(header).split(',').slice(-proxies);
  const address = said[0]!.trim();
  return isIP(address) === 0 ? socket.remoteAddress : address;
}
