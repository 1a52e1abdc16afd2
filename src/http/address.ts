import type { IncomingMessage } from 'node:http';
import { inBlocks, UNTOLD } from '../model/ip-address.ts';
import { forwardedFor, xForwardedFor } from './forwarded.ts';

/** The address that a request comes from, in canonical form, or UNTOLD. Undefined if its connection is gone. */
export type ClientAddress = (request: IncomingMessage) => string | undefined;

const MAPPED = '::ffff:';

/** IPv4-mapped addresses, of sockets that take both protocols, are IPv4. A zone says where here, not who there. */
export function peerOf({ socket }: IncomingMessage): string | undefined {
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

/**
 * What proxies say counts only if the other end of the connection is one of `trusted`, and only as far back as they vouch for it. If it
 * cannot be read, or if the two headers say different things, the client is nowhere: by a header of its own it could otherwise take the
 * address of the proxy, which may well be in a list.
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
    return said[0] !== undefined && said.every((address) => address === said[0]) ? said[0] : UNTOLD;
  };
}
