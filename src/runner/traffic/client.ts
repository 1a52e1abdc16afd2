import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** More than any real chain of proxies. */
const HOPS = 32;

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Tells the address and the protocol of a request's client. Proxies outside of the blocks count as clients. */
export function clientReader(blocks: readonly string[]): (request: IncomingMessage) => { address: string; protocol: string } {
  const list = new BlockList();
  for (const block of blocks) {
    const [net, prefix] = block.split('/') as [string, string | undefined];
    const family = isIP(net) === 4 ? 'ipv4' : 'ipv6';
    list.addSubnet(net, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  const isProxy = (address: string) => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');

  return ({ socket, headersDistinct }) => {
    const peer = plain(socket.remoteAddress ?? '');
    if (!isProxy(peer)) return { address: peer, protocol: 'http' };
    const hops = (headersDistinct['x-forwarded-for'] ?? []).join(',').split(',').slice(-HOPS);
    let address = peer;
    // Each proxy adds the address that it saw at the end.
    while (isProxy(address) && hops.length > 0) {
      const hop = plain(hops.pop()!.trim());
      if (isIP(hop) === 0) break;
      address = hop;
    }
    const isSecure = headersDistinct['x-forwarded-proto']?.at(-1) === 'https';
    return { address, protocol: isSecure ? 'https' : 'http' };
  };
}
