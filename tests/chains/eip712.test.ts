import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serializeTypedData } from 'viem';
import { readTypedData } from '../../src/chains/ethereum/eip712.ts';
import { rounds } from '../support/full.ts';
import { digest, generate, json, mail, ofEthers, ofViem, one, refuse, type Typed } from './eip712-cases.ts';

test('the example of EIP-712', () => {
  assert.equal(digest(mail), '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2');
});

test('a domain without its type gets the fields of the standard, in their order', () => {
  const { EIP712Domain: _, ...types } = mail.types;
  const salt = `0x${'ab'.repeat(32)}`;
  for (const domain of [
    {},
    { chainId: 1 },
    { salt, name: 'x' },
    { ...mail.domain, salt },
    { version: '2', chainId: 2n ** 200n },
  ]) {
    assert.equal(digest({ ...mail, types, domain }), ofEthers({ ...mail, types, domain }), json(domain));
  }
  assert.equal(digest({ ...mail, types }), digest(mail));
  assert.equal(digest({ ...mail, types, domain: { ...mail.domain, salt: null } }), digest(mail));
});

test('what viem serializes for a wallet has the digest that viem computes', () => {
  const text = serializeTypedData(mail as unknown as Parameters<typeof serializeTypedData>[0]);
  assert.equal(digest(text), ofViem(mail));
});

test('data of the domain alone: what viem computes, whatever the message says', () => {
  const domainOnly = { ...mail, primaryType: 'EIP712Domain' };
  const wanted = ofViem({ ...domainOnly, message: {} });
  for (const message of [{}, undefined, mail.message]) assert.equal(digest({ ...domainOnly, message } as Typed), wanted);
  assert.deepEqual(readTypedData(json(domainOnly), refuse).message, {});
});

test('names with a colon, as Hyperliquid has them', () => {
  const data: Typed = {
    domain: {
      name: 'HyperliquidSignTransaction',
      version: '1',
      chainId: 421614,
      verifyingContract: '0x0000000000000000000000000000000000000000',
    },
    types: {
      EIP712Domain: mail.types.EIP712Domain!,
      'HyperliquidTransaction:UsdSend': [
        { name: 'hyperliquidChain', type: 'string' },
        { name: 'destination', type: 'string' },
        { name: 'amount', type: 'string' },
        { name: 'time', type: 'uint64' },
      ],
    },
    primaryType: 'HyperliquidTransaction:UsdSend',
    message: {
      hyperliquidChain: 'Testnet',
      destination: '0x5e9ee1089755c3435139848e47e6635505d5a13a',
      amount: '1',
      time: 1687816341423,
    },
  };
  assert.equal(digest(data), ofEthers(data));
  assert.equal(digest(data), ofViem(data));
});

test('types that refer to themselves', () => {
  const data: Typed = {
    domain: {},
    types: {
      EIP712Domain: [],
      Node: [
        { name: 'label', type: 'string' },
        { name: 'children', type: 'Node[]' },
      ],
    },
    primaryType: 'Node',
    message: { label: 'a', children: [{ label: 'b', children: [] }] },
  };
  assert.equal(digest(data), ofViem(data));
});

test('random types and values have the digest of ethers and of viem', () => {
  for (let seed = 0; seed < rounds(300); seed++) {
    const data = generate(seed);
    const ours = digest(data);
    assert.equal(ours, ofEthers(data), json(data));
    assert.equal(ours, ofViem(data), json(data));
  }
});

test('whole numbers lose no digit, however they are written', () => {
  const exact = 12345678901234567890123456789n;
  const expected = digest(one('uint256', `${exact}`));
  assert.equal(digest(json(one('uint256', 0)).replace('"v":0', `"v":${exact}`)), expected);
  assert.equal(digest(one('uint256', `0x${exact.toString(16)}`)), expected);
  assert.notEqual(digest(one('uint256', `${exact + 1n}`)), expected);
  const shown = readTypedData(json(one('int8', '-5')), refuse);
  assert.deepEqual(shown.message, { v: -5n });
});

test('the shown data is the signed data: other members are left out, hex is in lower case', () => {
  const data = {
    ...mail,
    extra: 1,
    domain: { ...mail.domain, extra: true },
    message: { ...mail.message, from: { ...(mail.message.from as object), extra: [1] }, extra: 'x' },
  };
  assert.equal(digest(data), digest(mail));
  const { domain, message, primaryType } = readTypedData(json(data), refuse);
  assert.equal(primaryType, 'Mail');
  assert.deepEqual(domain, {
    name: 'Ether Mail',
    version: '1',
    chainId: 1n,
    verifyingContract: '0xcccccccccccccccccccccccccccccccccccccccc',
  });
  assert.deepEqual(message, {
    from: { name: 'Cow', wallet: '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826' },
    to: { name: 'Bob', wallet: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' },
    contents: 'Hello, Bob!',
  });
});
