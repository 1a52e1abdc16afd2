import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { clientAddress } from '../../src/http/address.ts';
import { UNKNOWN_ADDRESS } from '../../src/model/ip-address.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

const PROXY = '10.0.0.9';
const request = (remoteAddress: string | undefined, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;
const trusting = clientAddress(['10.0.0.0/8', '2001:db8:1::/48']);
const xff = (header: string, peer = PROXY) => trusting(request(peer, { 'x-forwarded-for': header }));
const forwarded = (header: string, peer = PROXY) => trusting(request(peer, { forwarded: header }));

test('without trusted proxies it is the other end of the connection, whatever headers say', () => {
  const all = clientAddress([]);
  const said = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' };
  for (const [peer, address] of [
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['fe80::7%eth0', 'fe80::7'],
    [undefined, undefined],
  ])
    assert.equal(all(request(peer, said)), address);
});

test('headers of an untrusted client count for nothing', () => {
  assert.equal(xff('192.0.2.1', '198.51.100.7'), '198.51.100.7');
  assert.equal(forwarded('for=192.0.2.1', '198.51.100.7'), '198.51.100.7');
  assert.equal(trusting(request(PROXY)), PROXY);
  assert.equal(trusting(request(undefined, { 'x-forwarded-for': '192.0.2.1' })), undefined);
});

test('the last hop that is no proxy of ours, and nothing before it', () => {
  for (const [header, address] of [
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, 198.51.100.7', '198.51.100.7'],
    ['10.1.1.1, 198.51.100.7, 10.2.2.2,10.3.3.3', '198.51.100.7'],
    ['nonsense, <script>, 198.51.100.7', '198.51.100.7'],
    [',,,198.51.100.7', '198.51.100.7'],
    [`${'10.1.1.1,'.repeat(1000)}198.51.100.7`, '198.51.100.7'],
    ['198.51.100.7, 2001:db8:1::5', '198.51.100.7'],
    ['10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['10.1.1.1', '10.1.1.1'],
  ])
    assert.equal(xff(header!), address, header);
});

test('addresses with ports, brackets and zones, and in other forms', () => {
  for (const [header, address] of [
    ['198.51.100.7:4711', '198.51.100.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
    ['2001:DB8:0:0::7', '2001:db8::7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['[::ffff:198.51.100.7]:80', '198.51.100.7'],
    ['fe80::7%eth0', 'fe80::7'],
    ['[fe80::7%25eth0]:80', 'fe80::7'],
    ['  198.51.100.7\t', '198.51.100.7'],
  ])
    assert.equal(xff(header!), address, header);
});

test('a chain that cannot be read: the client is nowhere, and not where the proxy is', () => {
  for (const header of [
    '',
    ' ',
    ',',
    '198.51.100.7,',
    '198.51.100.7, unknown',
    '198.51.100.7, 10.1.1.1, nonsense',
    '198.51.100.7, nonsense, 10.1.1.1',
    '198.51.100.7:',
    '198.51.100.7:123456',
    '198.51.100.7:80:80',
    '[198.51.100.7]',
    '[2001:db8::7',
    '2001:db8::7]',
    '[2001:db8::7]x',
    '[[2001:db8::7]]',
    '198.51.100.7%eth0',
    '198.51.100.07',
    '198.51.100',
    '"198.51.100.7"',
    `198.51.100.7${',10.1.1.1'.repeat(40)}`,
  ])
    assert.equal(xff(header), UNKNOWN_ADDRESS, header);
});

test('Forwarded says the same in its own words', () => {
  for (const [header, address] of [
    ['for=198.51.100.7', '198.51.100.7'],
    ['For=198.51.100.7;Proto=https;by=10.0.0.1', '198.51.100.7'],
    ['for=192.0.2.1, for=198.51.100.7;by="10.0.0.1:80"', '198.51.100.7'],
    ['for="198.51.100.7:4711"', '198.51.100.7'],
    ['for="[2001:db8::7]:4711"', '2001:db8::7'],
    ['for="[2001:db8::7]"', '2001:db8::7'],
    ['host="a,b;for=192.0.2.1";for=198.51.100.7', '198.51.100.7'],
    ['host="a\\"b";for=198.51.100.7 , for=10.1.1.1', '198.51.100.7'],
    ['for=unknown, for=198.51.100.7', '198.51.100.7'],
    ['for=_hidden, for=10.1.1.1', UNKNOWN_ADDRESS],
    ['for=unknown', UNKNOWN_ADDRESS],
    ['proto=https', UNKNOWN_ADDRESS],
    ['for=198.51.100.7;for=192.0.2.1', UNKNOWN_ADDRESS],
    ['for=', UNKNOWN_ADDRESS],
    ['for="198.51.100.7', UNKNOWN_ADDRESS],
    // A quote that the client opened, and that our proxy's quote closes.
    ['for=", for="[2001:db8::7]"', UNKNOWN_ADDRESS],
    ['for=198.51.100.7,', UNKNOWN_ADDRESS],
    ['for=198.51.100.7 x', UNKNOWN_ADDRESS],
    ['198.51.100.7', UNKNOWN_ADDRESS],
    ['', UNKNOWN_ADDRESS],
    [`host="${'x'.repeat(5000)}";for=198.51.100.7`, UNKNOWN_ADDRESS],
    [`for=198.51.100.7${',for=10.1.1.1'.repeat(40)}`, UNKNOWN_ADDRESS],
  ])
    assert.equal(forwarded(header!), address, header);
});

test('two headers that disagree: one of them is the client’s, and neither counts', () => {
  const both = (chain: string, elements: string) => trusting(request(PROXY, { 'x-forwarded-for': chain, forwarded: elements }));
  assert.equal(both('198.51.100.7', 'for=198.51.100.7'), '198.51.100.7');
  assert.equal(both('192.0.2.1', 'for=198.51.100.7'), UNKNOWN_ADDRESS);
  assert.equal(both('198.51.100.7', 'nonsense'), UNKNOWN_ADDRESS);
  assert.equal(both('nonsense', 'for=198.51.100.7'), UNKNOWN_ADDRESS);
  assert.equal(both('nonsense', 'nonsense'), UNKNOWN_ADDRESS);
});

test('no header makes it fail, and none makes anybody another than the proxy says', () => {
  const parts = fc.constantFrom(
    'for=',
    'For=',
    '"',
    '\\',
    ',',
    ';',
    ' ',
    '[',
    ']',
    ':',
    '%',
    '10.1.1.1',
    '192.0.2.1',
    '::1',
    '2001:db8::7',
    'unknown',
    '_x',
    '80',
    'x',
  );
  const text = fc.oneof(
    fc.array(parts, { maxLength: 30 }).map((all) => all.join('')),
    fc.string({ maxLength: 60 }),
  );
  fc.assert(
    fc.property(text, (sent) => {
      // What the client sent, and what our proxy added to it.
      assert.equal(xff(`${sent}, 198.51.100.7`), '198.51.100.7');
      assert.ok(['198.51.100.7', UNKNOWN_ADDRESS].includes(forwarded(`${sent}, for=198.51.100.7`)!));
      assert.ok(['2001:db8::7', UNKNOWN_ADDRESS].includes(forwarded(`${sent}, for="[2001:db8::7]"`)!));
      assert.equal(typeof xff(sent), 'string');
      assert.equal(typeof forwarded(sent), 'string');
    }),
    { numRuns: rounds(20_000) },
  );
});
