import assert from 'node:assert/strict';
import { BlockList, isIP, SocketAddress } from 'node:net';
import { test } from 'node:test';
import { Address4, Address6 } from 'ip-address';
import { canonicalAddress, inBlocks, parseBlock } from '../../src/model/ip-address.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

test('an address has one form', () => {
  for (const [text, canonical] of [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8::0:0:1', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['::', '::'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['::192.0.2.1', '::c000:201'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['::1:ffff:192.0.2.1', '::1:ffff:c000:201'],
  ])
    assert.equal(canonicalAddress(text!), canonical);
});

test('a text that is no address, or could be read in two ways, is refused', () => {
  for (const text of [
    '',
    ' 192.0.2.1',
    '192.0.2.1 ',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.01',
    '0300.0.2.1',
    '0xc0.0.2.1',
    '3221225985',
    '192.0.2.1:80',
    'fe80::1%eth0',
    '[::1]',
    '::1::',
    '2001:db8::12345',
    '1:2:3:4:5:6:7:8:9',
    'localhost',
    'unknown',
    '１９２.0.2.1',
  ])
    assert.equal(canonicalAddress(text), undefined, text);
});

test('a block has no bits behind its prefix; an address alone is a block of one', () => {
  for (const [text, cidr, version] of [
    ['192.168.1.100/24', '192.168.1.0/24', 4],
    ['192.0.2.1', '192.0.2.1/32', 4],
    ['255.255.255.255/0', '0.0.0.0/0', 4],
    ['2001:DB8:1:2::3/48', '2001:db8:1::/48', 6],
    ['2001:db8::1', '2001:db8::1/128', 6],
    ['::ffff:192.0.2.77/120', '192.0.2.0/24', 4],
    ['::ffff:192.0.2.77', '192.0.2.77/32', 4],
    ['::ffff:0.0.0.0/96', '0.0.0.0/0', 4],
  ] as const) {
    const block = parseBlock(text);
    assert.deepEqual([block?.cidr, block?.version], [cidr, version], text);
    assert.equal(block?.prefix, Number(cidr.split('/')[1]));
  }
});

test('texts that are not blocks', () => {
  for (const text of [
    '',
    '/24',
    '192.0.2.0/',
    '192.0.2.0/33',
    '192.0.2.0/-1',
    '192.0.2.0/08',
    '192.0.2.0/1e1',
    '192.0.2.0/24/24',
    '192.0.2.0/255.255.255.0',
    '192.0.2.0 /24',
    '2001:db8::/129',
    'fe80::1%eth0/64',
    '::ffff:192.0.2.0/95',
    '*',
  ])
    assert.equal(parseBlock(text), undefined, text);
});

test('an address of one kind is in no block of the other', () => {
  assert.equal(inBlocks(['0.0.0.0/0'])('::1'), false);
  assert.equal(inBlocks(['::/0'])('192.0.2.1'), false);
  assert.equal(inBlocks([])('192.0.2.1'), false);
});

const octets = fc.uint8Array({ minLength: 4, maxLength: 4 });
/** Groups with zeros and extremes among them, so that both ends of a prefix are met. */
const groups = fc.array(fc.oneof(fc.constantFrom(0, 0, 1, 0xffff), fc.integer({ min: 0, max: 0xffff })), {
  minLength: 8,
  maxLength: 8,
});
const v4 = octets.map((bytes) => [...bytes].join('.'));
const v6 = groups.map((all) => all.map((group) => group.toString(16)).join(':'));

test('addresses read as Node.js reads them', () => {
  const nodes = (text: string, family: 'ipv4' | 'ipv6') => new SocketAddress({ address: text, family }).address;
  fc.assert(fc.property(v4, (text) => assert.equal(canonicalAddress(text), nodes(text, 'ipv4'))));
  fc.assert(
    fc.property(v6, (text) => {
      const shown = nodes(text, 'ipv6');
      // Node.js writes two kinds of addresses that begin with zeros with dots.
      if (!shown.includes('.')) assert.equal(canonicalAddress(text), shown);
    }),
    { numRuns: rounds(1000) },
  );
});

test('an address of IPv6 that ends with dots is the one that it stands for', () => {
  const six = fc.array(fc.oneof(fc.constantFrom(0, 0, 0xffff), fc.integer({ min: 0, max: 0xffff })), {
    minLength: 6,
    maxLength: 6,
  });
  fc.assert(
    fc.property(six, octets, (front, [a, b, c, d]) => {
      const start = front.map((group) => group.toString(16)).join(':');
      const groups = `${start}:${(a! * 256 + b!).toString(16)}:${(c! * 256 + d!).toString(16)}`;
      const dotted = `${start}:${a}.${b}.${c}.${d}`;
      assert.equal(canonicalAddress(dotted), canonicalAddress(groups));
      const short = dotted.replace(/^(0:)+/, '::');
      assert.equal(canonicalAddress(short), canonicalAddress(dotted), short);
      assert.equal(canonicalAddress(dotted)!.includes('.'), /^(0:){5}ffff:/.test(dotted));
    }),
    { numRuns: rounds(1000) },
  );
});

test('blocks are those of another library', () => {
  fc.assert(
    fc.property(v4, fc.integer({ min: 0, max: 32 }), (text, prefix) => {
      const other = new Address4(`${text}/${prefix}`).startAddress().correctForm();
      assert.equal(parseBlock(`${text}/${prefix}`)?.cidr, `${other}/${prefix}`);
    }),
  );
  fc.assert(
    fc.property(v6, fc.integer({ min: 0, max: 128 }), (text, prefix) => {
      const block = parseBlock(`${text}/${prefix}`);
      const isMapped = /^(0:){5}ffff:/.test(text);
      if (isMapped) return;
      const other = new Address6(`${text}/${prefix}`).startAddress().correctForm();
      assert.equal(block?.cidr, `${other}/${prefix}`);
    }),
    { numRuns: rounds(1000) },
  );
});

test('an address of a block is in it for Node.js too', () => {
  const near = (text: string, flip: number, family: 4 | 6): string => {
    const parts = text.split(family === 4 ? '.' : ':');
    const width = family === 4 ? 8 : 16;
    const radix = family === 4 ? 10 : 16;
    const at = Math.floor(flip / width);
    const value = Number.parseInt(parts[at]!, radix) ^ (1 << (width - 1 - (flip % width)));
    return parts.with(at, value.toString(radix)).join(family === 4 ? '.' : ':');
  };
  const agree = (text: string, prefix: number, flip: number, family: 4 | 6) => {
    const kind = family === 4 ? 'ipv4' : 'ipv6';
    // Blocks that reach beyond the IPv4-mapped addresses, given by one of these, are none.
    if (canonicalAddress(text)!.includes('.') !== (family === 4)) return;
    const block = parseBlock(`${text}/${prefix}`)!;
    const other = near(text, flip, family);
    const [mine, theirs] = [canonicalAddress(text)!, canonicalAddress(other)!];
    if (isIP(theirs) !== family) return;
    const list = new BlockList();
    list.addSubnet(text, prefix, kind);
    assert.ok(inBlocks([block.cidr])(mine) && list.check(text, kind));
    assert.equal(inBlocks([block.cidr])(theirs), list.check(other, kind), `${other} in ${block.cidr}`);
    assert.equal(inBlocks([block.cidr])(theirs), flip >= prefix);
  };
  fc.assert(
    fc.property(v4, fc.nat(32), fc.nat(31), (text, prefix, flip) => agree(text, prefix, flip, 4)),
    { numRuns: rounds(1000) },
  );
  fc.assert(
    fc.property(v6, fc.nat(128), fc.nat(127), (text, prefix, flip) => agree(text, prefix, flip, 6)),
    { numRuns: rounds(1000) },
  );
});

test('any text is read without an error, and reading what was read changes nothing', () => {
  const parts = fc.constantFrom(
    '1',
    '255',
    '256',
    '0',
    '00',
    'ffff',
    ':',
    '::',
    '.',
    '/',
    '%',
    ' ',
    '-',
    '[',
    ']',
    '64',
    'x',
    '0x',
  );
  const text = fc.oneof(
    fc.string({ maxLength: 50 }),
    fc.array(parts, { maxLength: 24 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, (some) => {
      const block = parseBlock(some);
      if (block === undefined) return;
      assert.deepEqual(parseBlock(block.cidr), block);
      const [network] = block.cidr.split('/');
      assert.equal(canonicalAddress(network!), network);
      assert.ok(inBlocks([block.cidr])(network!));
    }),
    { numRuns: rounds(20_000) },
  );
});
