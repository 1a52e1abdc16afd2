import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublic } from '../../src/outbound/addresses.ts';

const PUBLIC = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '223.255.255.255',
];
const PUBLIC_6 = ['2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '2001:200::1', '64:ff9b::1.1.1.1', '64:ff9b::101:101'];

/** The first and the last of ranges, and what is known by name. */
const NOT_PUBLIC = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  loopback: ['127.0.0.1', '127.255.255.255', '::1'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
  'link-local': ['169.254.0.0', '169.254.255.255', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  metadata: ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  'unique-local': ['fc00::1', 'fdff::1'],
  'site-local': ['fec0::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  reserved: ['240.0.0.0', '255.255.255.255', '192.0.0.1', '198.18.0.1', '4000::1', '::', '100::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:1.1.1.1'],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1'],
  translated: ['::ffff:0:127.0.0.1'],
  NAT64: [
    '64:ff9b::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::',
    '64:ff9b::1',
    '64:ff9b::a00:0',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::101:101',
  ],
  '6to4': ['2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:101:101::'],
  Teredo: ['2001::7f00:1', '2001:0:4136:e378:8000:63bf:80ff:fffe'],
  'no address': ['', 'localhost', '1.1.1', '0x7f.1', '2130706433', '[::1]', ' 1.1.1.1'],
};

for (const [what, addresses] of Object.entries(NOT_PUBLIC))
  test(`${what} is not public`, () => {
    for (const address of addresses) assert.equal(isPublic(address), false, address);
  });

test('everything else of IPv4, and unicast of IPv6, is public', () => {
  for (const address of [...PUBLIC, ...PUBLIC_6]) assert.equal(isPublic(address), true, address);
});
