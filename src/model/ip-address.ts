import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const MAPPED_BITS = 96;

const DOTTED_END = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/** The library treats ::192.0.2.1 as an IPv4-mapped address, which it is not. So dotted parts become groups before the library reads them. */
const withoutDots = (text: string): string =>
  text.replace(DOTTED_END, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.map(Number) as [number, number, number, number];
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });

/** Strict: no zone, no octal numbers, no address with fewer than four parts. An IPv4-mapped IPv6 address is IPv4. */
function parse(text: string): Address | undefined {
  const version = text.includes('%') ? 0 : isIP(text);
  if (version === 0) return undefined;
  return ipaddr.process(version === 4 ? text : withoutDots(text));
}

/** The canonical form of an address: dotted decimal, or the form of RFC 5952. Undefined if the text is no address. */
export const canonicalAddress = (text: string): string | undefined => parse(text)?.toString();

/** A block of addresses. `cidr`: its canonical form, without bits behind the prefix. */
export type IpBlock = { cidr: string; version: 4 | 6; prefix: number };

/** Reads a block such as 192.0.2.0/24. A single address is a block of one. Undefined if the text is no block. */
export function parseBlock(text: string): IpBlock | undefined {
  const slash = text.indexOf('/');
  const written = slash === -1 ? text : text.slice(0, slash);
  const address = parse(written);
  if (address === undefined) return undefined;
  const version = address.kind() === 'ipv4' ? 4 : 6;
  const all = version === 4 ? 32 : 128;
  if (slash === -1) return { cidr: `${address}/${all}`, version, prefix: all };
  const length = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const isMapped = version === 4 && written.includes(':');
  const prefix = Number(length) - (isMapped ? MAPPED_BITS : 0);
  if (prefix < 0 || prefix > all) return undefined;
  const first = (version === 4 ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(`${address}/${prefix}`);
  return { cidr: `${first}/${prefix}`, version, prefix };
}

/** Replaces a client's address if the proxies report nothing certain about it. It is in no block. */
export const UNKNOWN_ADDRESS = 'unknown';

/** The network of an IPv6 address, by its first groups of 16 bits. Any other text, including UNKNOWN_ADDRESS, is returned unchanged. */
export function networkOf(address: string, groups: number): string {
  if (!address.includes(':')) return address;
  const parsed = parse(address);
  if (parsed === undefined || parsed.kind() === 'ipv4') return address;
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, groups).map((part) => part.toString(16));
  return `${parts.join(':')}::/${groups * 16}`;
}

/** Whether an address is in one of the blocks. Both are in canonical form. */
export function inBlocks(cidrs: readonly string[]): (address: string) => boolean {
  const blocks = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  return (text) => {
    if (text === UNKNOWN_ADDRESS) return false;
    const address = ipaddr.parse(text);
    return blocks.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix));
  };
}
