import type { IncomingMessage } from 'node:http';
import { inBlocks, UNKNOWN_ADDRESS } from '../model/ip-address.ts';
import { forwardedFor, xForwardedFor } from './forwarded.ts';

/** The address that a request comes from, in canonical form, or UNKNOWN_ADDRESS. Undefined if its connection has ended. */
export type ClientAddress = (request: IncomingMessage) => string | undefined;

const MAPPED = '::ffff:';

/**
 * The address at the other end of the connection. Sockets for both protocols show IPv4 addresses as IPv4-mapped: these become IPv4.
 * A zone only names a local interface, and is dropped.
 */
export function peerOf({ socket }: IncomingMessage): string | undefined {
  const { remoteAddress: address } = socket;
  if (!address?.includes(':')) return address;
  const [text] = address.split('%') as [string];
  return text.startsWith(MAPPED) && text.includes('.') ? text.slice(MAPPED.length) : text;
}

/**
 * The first hop that is no proxy of ours, counted from the hop next to us backwards. If all are, the farthest. Undefined if a hop
 * before it cannot be read.
 */
function clientIn(hops: Iterable<string | undefined>, isTrusted: (address: string) => boolean): string | undefined {
  let farthest: string | undefined;
  for (const hop of hops) {
    if (hop === undefined || !isTrusted(hop)) return hop;
    farthest = hop;
  }
  return farthest;
}

/**
 * The headers of proxies count only if the other end of the connection is one of `trusted`. They count only as far back as trusted
 * proxies vouch for them. If they cannot be read, or if the two headers differ, the client's address is UNKNOWN_ADDRESS. Otherwise a client
 * could take the proxy's address with its own header, and an allow-list may contain that address.
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
    return said[0] !== undefined && said.every((address) => address === said[0]) ? said[0] : UNKNOWN_ADDRESS;
  };
}
