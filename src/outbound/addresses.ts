import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 ranges that are not public: IANA's special-purpose registry, and an address at which a cloud serves its own machines. */
const IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Ranges inside of 2000::/3 that are not public, or lead to an IPv4 address: protocols, Teredo, documentation, 6to4. */
const IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net, prefix] = range.split('/') as [string, string];
    list.addSubnet(net, Number(prefix), family);
  }
  return list;
}

const notPublic4 = listOf(IPV4, 'ipv4');
const notPublic6 = listOf(IPV6, 'ipv6');
const unicast = listOf(['2000::/3'], 'ipv6');
const nat64 = listOf(['64:ff9b::/96'], 'ipv6');

/** The last 32 bits as IPv4: of a text that `URL` wrote, which has no zone and no dotted end. */
function embedded(address: string): string {
  const { hostname } = new URL(`http://[${address}]`);
  const groups = hostname.slice(1, -1).split(':');
  // `::` may replace the last groups, or the one before the last.
  const [high = '', low = ''] = groups.slice(-2);
  const bits = [high, low].map((group) => Number.parseInt(group || '0', 16));
  return bits.flatMap((group) => [group >> 8, group & 255]).join('.');
}

/**
 * Whether an address is one of the public Internet. Everything else is refused, including IPv6 addresses that are not listed as
 * unicast, such as IPv4-mapped addresses. NAT64's own prefix is judged by the IPv4 address in it.
 */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !notPublic4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  if (nat64.check(address, 'ipv6')) return isPublic(embedded(address));
  return unicast.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6');
}
