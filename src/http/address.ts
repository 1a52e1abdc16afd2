import type { IncomingMessage } from 'node:http';
import { inBlocks } from '../model/ip-address.ts';
import { forwardedFor, xForwardedFor } from './forwarded.ts';

/**
 * The address that a request comes from, in canonical form. Undefined if its connection is gone. Null if proxies of ours say something
 * that cannot be read, or two things: a client can bring both about, so it must gain nothing by it.
 */
export type ClientAddress = (request: IncomingMessage) => string | null | undefined;

const MAPPED = '::ffff:';

/** The other end of the connection. IPv4-mapped addresses, of sockets that take both protocols, are IPv4. A zone says where here, not who there. */
function peerOf({ socket }: IncomingMessage): string | undefined {
  const { remoteAddress: address } = socket;
  if (!address?.includes(':')) return address;
  const [text] = address.split('%') as [string];
  return text.startsWith(MAPPED) && text.includes('.') ? text.slice(MAPPED.length) : text;
}

/**
 * From the hop next to us back to the first one that is no proxy of ours. If all are, the farthest. Undefined if a hop before it
 * cannot be read.
 */
function clientIn(hops: Iterable<string | undefined>, isTrusted: (address: string) => boolean): string | undefined {
  let farthest: string | undefined;
  for (const hop of hops) {
    if (hop === undefined || !isTrusted(hop)) return hop;
    farthest = hop;
  }
  return farthest;
}

/** The same for the log: what proxies said is not in it if it is not believed. */
export const shownAddress = (address: ReturnType<ClientAddress>, request: IncomingMessage): string | undefined =>
  address ?? peerOf(request);

/**
 * What proxies say counts only if the other end of the connection is one of `trusted`, and only as far back as they vouch for it.
 */
export function clientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return peerOf;
  const isTrusted = inBlocks(trusted);
  return (request) => {
    const peer = peerOf(request);
    const { 'x-forwarded-for': chain, forwarded } = request.headers;
    if (peer === undefined || (chain === undefined && forwarded === undefined) || !isTrusted(peer)) return peer;
    const said = [
      ...(chain === undefined ? [] : [clientIn(xForwardedFor(String(chain)), isTrusted)]),
      ...(forwarded === undefined ? [] : [clientIn(forwardedFor(forwarded), isTrusted)]),
    ];
    return said[0] !== undefined && said.every((address) => address === said[0]) ? said[0] : null;
  };
}
