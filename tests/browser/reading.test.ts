/** Chains and policies are read in a browser as on the server: bundled, and run where there is nothing of Node.js. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import vm from 'node:vm';
import { build } from 'esbuild';
import { encodeFunctionData, parseAbi, serializeTransaction } from 'viem';
import { Transaction as TempoTransaction } from 'viem/tempo';
import { transactionTypes } from '../../src/chains/transactions.ts';
import { publicKeyOf } from '../../src/crypto/curves.ts';
import * as bitcoin from '../chains/bitcoin-psbts.ts';
import { key, write } from '../chains/solana-cases.ts';
import * as here from './entry.ts';

let there: typeof here;
let names: string[];

before(async () => {
  const built = await build({
    entryPoints: [new URL('entry.ts', import.meta.url).pathname],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'reading',
    target: 'es2024',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  names = Object.keys(built.metafile.inputs);
  // The globals of the language and of the Web, and none of Node.js's own.
  const world = vm.createContext({ TextEncoder, TextDecoder, atob, btoa });
  vm.runInContext(built.outputFiles[0]!.text, world);
  for (const name of ['Buffer', 'process', 'require', 'global'])
    assert.equal(vm.runInContext(`typeof ${name}`, world), 'undefined');
  there = vm.runInContext('reading', world) as typeof here;
});

const secret = Buffer.alloc(32, 7);
const publicKey = publicKeyOf('CURVE_SECP256K1', secret).toString('hex');
const secp256k1 = { curve: 'CURVE_SECP256K1', publicKey } as const;
const unhexed = (text: string) => text.replace(/^0x/, '');

const abi = parseAbi(['function transfer(address to, uint256 value)']);
const token = `0x${'33'.repeat(20)}` as const;
const to = `0x${'44'.repeat(20)}` as const;
const ethereum: here.Unsigned = {
  ...secp256k1,
  name: 'TRANSACTION_TYPE_ETHEREUM',
  hex: unhexed(
    serializeTransaction({
      type: 'eip1559',
      chainId: 1,
      nonce: 7,
      gas: 60_000n,
      maxFeePerGas: 10n ** 10n,
      to: token,
      data: encodeFunctionData({ abi, functionName: 'transfer', args: [to, 5n] }),
    }),
  ),
  interfaces: { [token]: JSON.stringify(abi) },
};

const { mine, other, payment } = bitcoin;
const psbt = bitcoin.build({
  inputs: [
    { name: 'p2wpkh', of: mine, value: 3n * bitcoin.COIN },
    { name: 'p2pkh', of: mine, value: bitcoin.COIN, utxo: 'previous' },
    { name: 'p2tr', of: other, value: bitcoin.COIN },
  ],
  outputs: [payment],
});

const transactions: here.Unsigned[] = [
  ethereum,
  { name: 'TRANSACTION_TYPE_SOLANA', hex: write().toString('hex'), curve: 'CURVE_ED25519', publicKey: key(1).toString('hex') },
  {
    name: 'TRANSACTION_TYPE_BITCOIN',
    hex: bitcoin.bytesOf(psbt).toString('hex'),
    curve: 'CURVE_SECP256K1',
    publicKey: mine.publicKey.toString('hex'),
  },
  {
    name: 'TRANSACTION_TYPE_BITCOIN',
    hex: bitcoin.bytesOf(psbt).toString('hex'),
    curve: 'CURVE_SECP256K1',
    publicKey: other.publicKey.toString('hex'),
    format: 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR',
  },
  {
    ...secp256k1,
    name: 'TRANSACTION_TYPE_TRON',
    hex: '0a0229272208939ece39d08a7abe40d8c483c1dd335a67080112630a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412320a1541dd791d6b49e190062d650e6a23c575510d35f2f912154192ad11c1bf16b3b14b0bd6b5c7e2db73a0b5e83a18c0843d70d68780c1dd33',
  },
];

test('a transaction of each chain is read as on the server', async () => {
  const tempo = await TempoTransaction.serialize({ chainId: 42_431, gas: 21_000n, calls: [{ to, value: 3n }] } as never);
  const all = [...transactions, { ...secp256k1, name: 'TRANSACTION_TYPE_TEMPO', hex: unhexed(tempo) }];
  assert.deepEqual(new Set(all.map(({ name }) => name)), new Set(transactionTypes.map(({ name }) => name)));
  for (const unsigned of all) {
    const read = there.transaction(unsigned);
    assert.equal(read, here.transaction(unsigned), unsigned.name);
    assert.ok(read.length > 200, read);
  }
  assert.match(
    there.transaction(ethereum),
    /"function_name":"transfer","function_signature":"0xa9059cbb"|"function_name":"transfer"/,
  );
});

test('payloads are hashed, and typed data is seen, as on the server', () => {
  const types = {
    Mail: [
      { name: 'to', type: 'address' },
      { name: 'text', type: 'string' },
    ],
  };
  const typed = { domain: { name: 'Post', chainId: 1 }, types, primaryType: 'Mail', message: { to, text: 'äöü' } };
  const given = [
    ['PAYLOAD_ENCODING_EIP712', JSON.stringify(typed), 'HASH_FUNCTION_NO_OP'],
    ['PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', JSON.stringify({ chainId: 1, address: to, nonce: 2 }), 'HASH_FUNCTION_NO_OP'],
    ['PAYLOAD_ENCODING_TEXT_UTF8', 'äöü'.repeat(200), 'HASH_FUNCTION_SHA256'],
    ['PAYLOAD_ENCODING_HEXADECIMAL', 'ab'.repeat(40), 'HASH_FUNCTION_KECCAK256'],
  ] as const;
  for (const [encoding, payload, hashFunction] of given) {
    const input = { encoding, payload, hashFunction, curve: 'CURVE_SECP256K1' } as const;
    assert.equal(there.payload(input), here.payload(input), encoding);
  }
});

test('every address is made as on the server', () => {
  for (const curve of ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519'] as const) {
    const point = publicKeyOf(curve, secret).toString('hex');
    assert.equal(there.addresses(curve, point), here.addresses(curve, point));
    assert.ok(there.addresses(curve, point).includes(point));
  }
});

test('a policy is evaluated as on the server', () => {
  const allow = (condition: string) =>
    ({ effect: 'EFFECT_ALLOW', condition, consensus: "approvers.any(u, u.id == 'ann')" }) as const;
  const right = allow(`eth.tx.to == '${token}' && eth.tx.data[74..138].hex_to_uint() <= 5 && eth.tx.chain_id == 1`);
  assert.equal(JSON.parse(there.decision(right, ethereum)).outcome, 'OUTCOME_ALLOW');
  assert.equal(JSON.parse(there.decision(allow('eth.tx.value > 5'), ethereum)).outcome, 'OUTCOME_DENY_IMPLICIT');
  const bitcoins = allow(
    "bitcoin.tx.outputs.all(o, o.address == 'tb1qxyz') && activity.params.type == 'TRANSACTION_TYPE_BITCOIN'",
  );
  for (const [policy, unsigned] of [
    [right, ethereum],
    [bitcoins, transactions[2]!],
    [allow('eth.tx.nothing == 1'), ethereum],
    [{ ...right, time: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Paris')" }, ethereum],
  ] as const)
    assert.equal(there.decision(policy, unsigned), here.decision(policy, unsigned));
});

test('the bundle holds nothing that signs, stores or serves', () => {
  const own = names.filter((name) => name.startsWith('src/')).map((name) => name.slice('src/'.length));
  const rooms = new Set(own.map((name) => name.split('/')[0]));
  assert.deepEqual(rooms, new Set(['base', 'chains', 'crypto', 'policy']));
  assert.deepEqual(own.filter((name) => name.startsWith('crypto/')).sort(), [
    'crypto/der.ts',
    'crypto/hash.ts',
    'crypto/keccak.ts',
    'crypto/points.ts',
  ]);
});
