import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Transaction } from 'ethers';
import { parseTransaction, serializeTransaction, type TransactionSerializable, toRlp } from 'viem';
import { ApiError } from '../../src/base/errors.ts';
import { ethereumTransaction } from '../../src/chains/ethereum/transaction.ts';
import { publicKeyOf, signDigest } from '../../src/crypto/curves.ts';
import type { RawSignature } from '../../src/crypto/signing-types.ts';
import { rounds } from '../support/full.ts';
import { assertTexts } from '../support/policy-texts.ts';
import fc from '../support/properties.ts';

type Hex = `0x${string}`;

const bytes = (hex: string) => Buffer.from(hex.replace(/^0x/, ''), 'hex');
const hex = (data: Uint8Array): Hex => `0x${Buffer.from(data).toString('hex')}`;

const KEY = bytes('0123456789012345678901234567890123456789012345678901234567890123');
const parse = (unsigned: Uint8Array, key = KEY) =>
  ethereumTransaction.parse(Buffer.from(unsigned), { curve: 'CURVE_SECP256K1', publicKey: publicKeyOf('CURVE_SECP256K1', key) });

function sign(unsigned: Uint8Array, key = KEY): Hex {
  const { toSign, attach } = parse(unsigned, key);
  return hex(attach(toSign.map((input) => signDigest('CURVE_SECP256K1', key, (input as { digest: Uint8Array }).digest))));
}

function refusal(unsigned: Uint8Array): ApiError {
  try {
    parse(unsigned);
  } catch (error) {
    assert.ok(error instanceof ApiError, `another error: ${error}`);
    assert.equal(error.code, 'INVALID_TRANSACTION');
    return error;
  }
  assert.fail(`accepted ${hex(unsigned)}`);
}

const cases = <T>(name: string): T[] => {
  const file = createRequire(import.meta.url).resolve(`@ethersproject/testcases/testcases/${name}.json.gz`);
  return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as T[];
};

type Legacy = Record<'name' | 'privateKey' | 'unsignedTransaction' | 'signedTransaction', Hex> &
  Record<'unsignedTransactionChainId5' | 'signedTransactionChainId5', Hex>;

test('@ethersproject/testcases: legacy transactions with and without EIP-155, byte for byte', () => {
  let seen = 0;
  for (const { name, privateKey, ...c } of cases<Legacy>('transactions')) {
    const key = bytes(privateKey);
    assert.equal(sign(bytes(c.unsignedTransaction), key), c.signedTransaction, name);
    assert.equal(sign(bytes(c.unsignedTransactionChainId5), key), c.signedTransactionChainId5, name);
    assert.equal(parse(bytes(c.unsignedTransaction), key).view(new Map()).chain_id, 0n);
    assert.equal(parse(bytes(c.unsignedTransactionChainId5), key).view(new Map()).chain_id, 5n);
    seen++;
  }
  assert.ok(seen > 500, String(seen));
});

test('@ethersproject/testcases: typed transactions, byte for byte', () => {
  let seen = 0;
  for (const { name, key, unsigned, signed } of cases<Record<'name' | 'key' | 'unsigned' | 'signed', Hex>>(
    'typed-transactions',
  )) {
    assert.equal(sign(bytes(unsigned), bytes(key)), signed, name);
    seen++;
  }
  assert.ok(seen > 100, String(seen));
});

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hex);
const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hex);
const amount = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: 2n ** 127n }));
const accessList = fc.array(fc.record({ address, storageKeys: fc.array(word, { maxLength: 3 }) }), { maxLength: 3 });
const common = {
  chainId: fc.integer({ min: 1, max: 2 ** 40 }),
  nonce: fc.nat(),
  gas: fc.bigInt({ min: 0n, max: 2n ** 40n }),
  value: amount,
  data: fc.uint8Array({ maxLength: 200 }).map(hex),
};
const creation = { to: fc.oneof(address, fc.constant(undefined)) };
// A library may refuse a tip above the fee; the chain does too.
const fees = fc.tuple(amount, amount).map(([a, b]) => ({ maxFeePerGas: a > b ? a : b, maxPriorityFeePerGas: a > b ? b : a }));
const authorization = fc
  .record({ key: fc.uint8Array({ minLength: 32, maxLength: 32 }), address, chainId: fc.nat(1_000_000), nonce: fc.nat() })
  .map(({ key, ...rest }) => ({
    ...rest,
    yParity: key[0]! & 1,
    r: hex(key.map((b) => b | 1)),
    s: hex(key.map((b) => (b & 0x7f) | 1)),
  }));

const anyTransaction: fc.Arbitrary<TransactionSerializable> = fc.oneof(
  fc.record({ type: fc.constant('legacy'), ...common, ...creation, gasPrice: amount }),
  fc.record({ type: fc.constant('legacy'), ...common, ...creation, gasPrice: amount }).map(({ chainId: _, ...rest }) => rest),
  fc.record({ type: fc.constant('eip2930'), ...common, ...creation, gasPrice: amount, accessList }),
  fc
    .tuple(fc.record({ type: fc.constant('eip1559'), ...common, ...creation, accessList }), fees)
    .map(([a, b]) => ({ ...a, ...b })),
  fc
    .tuple(
      fc.record({
        type: fc.constant('eip4844'),
        ...common,
        to: address,
        accessList,
        maxFeePerBlobGas: amount.map((n) => n + 1n),
        blobVersionedHashes: fc.array(
          word.map((w): Hex => `0x01${w.slice(4)}`),
          { minLength: 1, maxLength: 6 },
        ),
      }),
      fees,
    )
    .map(([a, b]) => ({ ...a, ...b })),
  fc
    .tuple(
      fc.record({
        type: fc.constant('eip7702'),
        ...common,
        to: address,
        accessList,
        authorizationList: fc.array(authorization, { minLength: 1, maxLength: 3 }),
      }),
      fees,
    )
    .map(([a, b]) => ({ ...a, ...b })),
) as never;

const TYPES: Record<string, string> = {
  legacy: 'LEGACY',
  eip2930: 'TYPE_1',
  eip1559: 'TYPE_2',
  eip4844: 'TYPE_3',
  eip7702: 'TYPE_4',
};

test('what policies saw of a transaction is what viem and ethers read from the signed bytes', () => {
  fc.assert(
    fc.property(anyTransaction, (transaction) => {
      const unsigned = bytes(serializeTransaction(transaction));
      const view = parse(unsigned).view(new Map());
      assertTexts('eth.tx', view);
      const signed = sign(unsigned);
      const read = parseTransaction(signed as never) as unknown as Record<string, never>;
      const seen = {
        to: view.to,
        data: view.data,
        value: view.value,
        gas: view.gas,
        chain_id: view.chain_id,
        nonce: view.nonce,
        type: view.type,
        gas_price: view.gas_price,
        max_fee_per_gas: view.max_fee_per_gas,
        max_priority_fee_per_gas: view.max_priority_fee_per_gas,
        max_fee_per_blob_gas: view.max_fee_per_blob_gas,
        access_list: view.access_list,
        blob_versioned_hashes: view.blob_versioned_hashes,
        authorization_list: view.authorization_list,
      };
      type Listed = { address: Hex; storageKeys: Hex[]; chainId: number; nonce: number };
      assert.deepEqual(seen, {
        to: ((read.to as unknown as string) ?? '').toLowerCase(),
        data: read.data ?? '0x',
        value: read.value ?? 0n,
        gas: read.gas ?? 0n,
        chain_id: BigInt(read.chainId ?? 0),
        nonce: BigInt(read.nonce ?? 0),
        type: TYPES[read.type as unknown as string],
        gas_price: read.gasPrice ?? read.maxFeePerGas ?? 0n,
        max_fee_per_gas: read.maxFeePerGas ?? 0n,
        max_priority_fee_per_gas: read.maxPriorityFeePerGas ?? 0n,
        max_fee_per_blob_gas: read.maxFeePerBlobGas ?? 0n,
        access_list: ((read.accessList ?? []) as Listed[]).map((entry) => ({
          address: entry.address.toLowerCase(),
          storage_keys: entry.storageKeys.map((key) => key.toLowerCase()),
        })),
        blob_versioned_hashes: read.blobVersionedHashes ?? [],
        authorization_list: ((read.authorizationList ?? []) as Listed[]).map((entry) => ({
          address: entry.address.toLowerCase(),
          chain_id: BigInt(entry.chainId),
          nonce: BigInt(entry.nonce),
        })),
      });
      const ethers = Transaction.from(signed);
      assert.equal(ethers.from?.toLowerCase(), view.from);
      assert.equal(ethers.unsignedSerialized, hex(unsigned));
      assert.deepEqual(
        [ethers.to?.toLowerCase() ?? '', ethers.data, ethers.value, ethers.gasLimit, ethers.chainId, BigInt(ethers.nonce)],
        [view.to, view.data, view.value, view.gas, view.chain_id, view.nonce],
      );
    }),
    { numRuns: rounds(300) },
  );
});

const call = ['0x01', '0x', '0x05', '0x06', '0x5208', `0x${'11'.repeat(20)}`, '0x', '0x', []] as never[];
const typed = (type: string, fields: unknown) => Buffer.concat([bytes(type), bytes(toRlp(fields as never))]);
const changed = (at: number, value: unknown) =>
  typed(
    '02',
    call.map((item, i) => (i === at ? value : item)),
  );

test('anything but one canonical unsigned transaction is refused with the reason', () => {
  assert.equal(parse(typed('02', call)).view(new Map()).gas, 21000n);
  const refused: [Uint8Array, RegExp][] = [
    [Buffer.alloc(0), /it is empty/],
    [Buffer.alloc(131_073, 1), /more than 131072 bytes/],
    [bytes('05c0'), /type 0x05 is not one of/],
    [bytes('02'), /not RLP|must be a list/],
    [bytes('0283010203'), /must be a list/],
    [Buffer.concat([typed('02', call), Buffer.of(0)]), /bytes follow/],
    [typed('02', call.slice(0, 8)), /has 9 fields, not 8/],
    [typed('02', [...call, '0x01', '0x02', '0x03']), /already signed/],
    [changed(0, '0x0001'), /chain id must not have leading zeros/],
    [changed(0, `0x${'01'.repeat(33)}`), /chain id must be below 2\^256/],
    [changed(1, '0x010000000000000000'), /nonce must be below 2\^64/],
    [changed(1, []), /nonce must be bytes/],
    [changed(5, '0x1111'), /recipient must have 20 bytes/],
    [changed(8, '0x'), /access list must be a list/],
    [changed(8, [[`0x${'11'.repeat(20)}`]]), /entry 0 must have 2 items, not 1/],
    [changed(8, [[`0x${'11'.repeat(20)}`, ['0x11']]]), /storage key must have 32 bytes/],
    // 0x81 0x05 writes what 0x05 alone writes.
    [
      bytes(
        `02${hex(typed('', call))
          .slice(2)
          .replace(/^(..)01/, (_, n: string) => `${(Number.parseInt(n, 16) + 1).toString(16)}8101`)}`,
      ),
      /not canonical|not RLP/,
    ],
    [typed('03', [call, [], [], []]), /without its blobs/],
    [typed('03', [...call, '0x01', []]), /at least one blob/],
    [typed('03', [...call.map((x, i) => (i === 5 ? '0x' : x)), '0x01', [`0x${'01'.repeat(32)}`]]), /must have a recipient/],
    [typed('04', [...call, []]), /authorization list must not be empty/],
    [typed('04', [...call, [['0x01', `0x${'11'.repeat(20)}`, '0x']]]), /entry 0 must have 6 items/],
    [bytes(toRlp(['0x', '0x', '0x', '0x', '0x', '0x', '0x05', '0x01', '0x01'])), /already signed/],
    [bytes(toRlp(['0x', '0x', '0x', '0x', '0x', '0x', '0x', '0x', '0x'])), /chain id must not be 0/],
    [bytes(toRlp(['0x', '0x', '0x', '0x', '0x', '0x', '0x05'])), /6 or 9 fields, not 7/],
    [Buffer.alloc(100_000, 0xc1), /not RLP/],
  ];
  for (const [unsigned, why] of refused) assert.match(refusal(unsigned).message, why, hex(unsigned.subarray(0, 80)));
});

test('damaged transactions: a typed refusal, or the very bytes that are signed', () => {
  const damage = fc.tuple(
    anyTransaction,
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(2)), { maxLength: 4 }),
  );
  const signature: RawSignature = { r: Buffer.alloc(32, 1), s: Buffer.alloc(32, 2), v: 1 };
  fc.assert(
    fc.property(damage, ([transaction, edits]) => {
      let unsigned = bytes(serializeTransaction(transaction));
      for (const [at, byte, kind] of edits) {
        const i = at % unsigned.length;
        const rest = unsigned.subarray(kind === 0 ? i + 1 : i + Math.min(kind - 1, 1));
        unsigned = Buffer.concat([unsigned.subarray(0, i), Buffer.of(byte), rest]);
      }
      let parsed: ReturnType<typeof parse>;
      try {
        parsed = parse(unsigned);
      } catch (error) {
        assert.ok(error instanceof ApiError && error.code === 'INVALID_TRANSACTION', String(error));
        return;
      }
      parsed.view(new Map());
      assert.ok(parsed.attach([signature]).length > unsigned.length);
    }),
    { numRuns: rounds(3000) },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (random) => {
      refusal(random);
    }),
    { numRuns: rounds(1000) },
  );
});

test('the signature belongs to the key (a second library)', () => {
  const unsigned = bytes(serializeTransaction({ type: 'eip1559', chainId: 1, to: `0x${'22'.repeat(20)}`, maxFeePerGas: 1n }));
  const read = Transaction.from(sign(unsigned));
  const { digest } = parse(unsigned).toSign[0] as { digest: Uint8Array };
  const compact = Buffer.concat([bytes(read.signature!.r), bytes(read.signature!.s)]);
  assert.ok(secp256k1.verify(compact, digest, secp256k1.getPublicKey(KEY), { prehash: false }));
});
