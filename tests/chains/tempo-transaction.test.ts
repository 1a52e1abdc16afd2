import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeAddress, recoverAddress, Signature } from 'ethers';
import { toRlp } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { Transaction } from 'viem/tempo';
import { ApiError } from '../../src/base/errors.ts';
import { tempoTransaction } from '../../src/chains/tempo/transaction.ts';
import { asBuffer } from '../../src/crypto/buffers.ts';
import { publicKeyOf, signDigest } from '../../src/crypto/curves.ts';
import type { RawSignature } from '../../src/crypto/signing-types.ts';
import { rounds } from '../support/full.ts';
import { assertTexts } from '../support/policy-texts.ts';
import fc from '../support/properties.ts';

type Hex = `0x${string}`;
const bytes = (hex: string) => Buffer.from(hex.replace(/^0x/, ''), 'hex');
const hex = (data: Uint8Array): Hex => `0x${Buffer.from(data).toString('hex')}`;

const KEY = bytes('0123456789012345678901234567890123456789012345678901234567890123');
const publicKey = publicKeyOf('CURVE_SECP256K1', KEY);
const account = privateKeyToAccount(hex(KEY));

const parse = (unsigned: Uint8Array) => tempoTransaction.parse(Buffer.from(unsigned), { curve: 'CURVE_SECP256K1', publicKey });
const digestOf = (unsigned: Uint8Array) => asBuffer((parse(unsigned).toSign[0] as { digest: Uint8Array }).digest);
const sign = (unsigned: Uint8Array) => hex(parse(unsigned).attach([signDigest('CURVE_SECP256K1', KEY, digestOf(unsigned))]));

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

const hexOf = (size: number) => fc.uint8Array({ minLength: size, maxLength: size }).map(hex);
const address = hexOf(20);
const amount = (bits: bigint) =>
  fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: 2n ** bits - 1n }));
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const anyTransaction = fc
  .record({
    chainId: fc.integer({ min: 1, max: 2 ** 40 }),
    nonce: fc.nat(),
    nonceKey: optional(amount(256n)),
    gas: optional(amount(64n)),
    fees: fc.tuple(amount(128n), amount(128n)),
    calls: fc.array(
      fc.record({
        to: optional(address),
        value: optional(amount(256n)),
        data: optional(fc.uint8Array({ maxLength: 100 }).map(hex)),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    accessList: optional(fc.array(fc.record({ address, storageKeys: fc.array(hexOf(32), { maxLength: 3 }) }), { maxLength: 3 })),
    feeToken: optional(fc.oneof(address, amount(64n))),
    window: fc.tuple(optional(fc.integer({ min: 1, max: 2 ** 40 })), optional(fc.nat(2 ** 30))),
    sponsored: fc.boolean(),
  })
  // A library may refuse a tip above the fee, and a window that is never open.
  .map(({ fees: [a, b], window: [before, length], sponsored, ...rest }) => ({
    ...rest,
    type: 'tempo' as const,
    maxFeePerGas: a > b ? a : b,
    maxPriorityFeePerGas: a > b ? b : a,
    validAfter: before,
    validBefore: length === undefined ? undefined : (before ?? 0) + length + 1,
    ...(sponsored ? { feePayer: true as const } : {}),
  }));

type Read = {
  chainId: number;
  nonce: number;
  gas?: bigint;
  from: string;
  maxFeePerGas?: bigint;
  maxPriorityFeePerGas?: bigint;
  feeToken?: string;
  feePayerSignature?: unknown;
  validBefore?: number;
  validAfter?: number;
  calls: { to?: string; value?: bigint; data?: string }[];
};

test('what policies saw of a transaction is what viem reads from the signed bytes', async () => {
  await fc.assert(
    fc.asyncProperty(anyTransaction, async (transaction) => {
      const unsigned = bytes(await Transaction.serialize(transaction as never));
      const signed = sign(unsigned);
      const read = Transaction.deserialize(signed as `0x76${string}`) as unknown as Read;
      assertTexts('tempo.tx', parse(unsigned).view(new Map()));
      assert.deepEqual(parse(unsigned).view(new Map()), {
        chain_id: BigInt(read.chainId),
        from: read.from.toLowerCase(),
        nonce: BigInt(read.nonce),
        gas_limit: read.gas ?? 0n,
        max_fee_per_gas: read.maxFeePerGas ?? 0n,
        max_priority_fee_per_gas: read.maxPriorityFeePerGas ?? 0n,
        fee_token: read.feeToken ?? '',
        valid_before: BigInt(read.validBefore ?? 0),
        valid_after: BigInt(read.validAfter ?? 0),
        calls: read.calls.map(({ to = '', value = 0n, data = '0x' }) => ({
          to,
          value,
          input: data,
          function_signature: data.length >= 10 ? data.slice(0, 10) : '',
        })),
      });
      assert.equal(read.from.toLowerCase(), account.address.toLowerCase());

      // The last field of the list: r ‖ s ‖ v.
      const signature = Signature.from(`0x${signed.slice(-130)}`);
      assert.equal(recoverAddress(digestOf(unsigned), signature), computeAddress(hex(publicKey)));
      if (transaction.feePayer) {
        assert.equal(read.feePayerSignature, null);
        // viem also writes the form for fee payers, with the sender in place of 0x00.
        const handed = await account.signTransaction(transaction as never, { serializer: Transaction.serialize as never });
        assert.match(handed, /^0x78/);
        const same = Transaction.deserialize(handed as `0x76${string}`) as unknown as Read;
        assert.deepEqual({ ...same, from: same.from.toLowerCase() }, { ...read, from: read.from.toLowerCase() });
      } else {
        assert.equal(signed, await account.signTransaction(transaction as never, { serializer: Transaction.serialize as never }));
      }
    }),
    { numRuns: rounds(150) },
  );
});

test('a fee payer completes what the sender signed', async () => {
  const payer = privateKeyToAccount(`0x${'42'.repeat(32)}`);
  const call = { to: `0x${'22'.repeat(20)}`, data: '0xa9059cbb' };
  const transaction = { type: 'tempo', chainId: 42431, nonce: 7, gas: 90_000n, maxFeePerGas: 9n, calls: [call] };
  const signed = sign(bytes(await Transaction.serialize({ ...transaction, feePayer: true } as never)));
  const handed = Transaction.deserialize(signed as `0x76${string}`);
  const feeToken = `0x20c0${'00'.repeat(17)}01`;
  const complete = await Transaction.serialize({ ...handed, feePayer: payer, feeToken } as never, handed.signature as never);
  const read = Transaction.deserialize(complete as `0x76${string}`) as unknown as Read;
  assert.equal(read.from.toLowerCase(), account.address.toLowerCase());
  assert.equal(read.feeToken, feeToken);
  assert.ok(read.feePayerSignature);
  assert.match(refusal(bytes(complete)).message, /already signed/);
});

const ADDRESS = `0x${'11'.repeat(20)}`;
const CALL = [ADDRESS, '0x', '0xa9059cbb'];
const fields: unknown[] = ['0x01', '0x02', '0x03', '0x5208', [CALL], [], '0x', '0x05', '0x', '0x', '0x', '0x', []];
const typed = (type: string, items: unknown) => Buffer.concat([bytes(type), bytes(toRlp(items as never))]);
const withFields = (changes: { [at: number]: unknown }) =>
  typed(
    '76',
    fields.map((item, i) => (i in changes ? changes[i] : item)),
  );

test('anything but one canonical unsigned transaction is refused with the reason', () => {
  const plain = typed('76', fields);
  assert.equal(parse(plain).view(new Map()).nonce, 5n);
  assert.equal(parse(withFields({ 11: '0x00' })).view(new Map()).fee_token, '');
  // 0x81 0x05 writes what 0x05 alone writes.
  const [body, nonce] = [plain.subarray(2), bytes('80058080')];
  const at = body.indexOf(nonce);
  assert.ok(at > 0 && plain[1] === 0xc0 + body.length);
  const longer = Buffer.concat([Buffer.of(0x76, plain[1] + 1), body.subarray(0, at), bytes('8081058080'), body.subarray(at + 4)]);
  const refused: [Uint8Array, RegExp][] = [
    [Buffer.alloc(0), /first byte must be 0x76/],
    [typed('78', fields), /first byte must be 0x76/],
    [typed('02', fields), /first byte must be 0x76/],
    [Buffer.alloc(131_073, 0x76), /more than 131072 bytes/],
    [bytes('76'), /not RLP|must be a list/],
    [bytes('7683010203'), /must be a list/],
    [Buffer.concat([plain, Buffer.of(0)]), /bytes follow/],
    [typed('76', fields.slice(0, 12)), /has 13 fields, not 12/],
    [typed('76', [...fields, `0x${'01'.repeat(65)}`]), /already signed/],
    [typed('76', [...fields, [], `0x${'01'.repeat(65)}`]), /already signed/],
    [typed('76', [...fields, [['0x01', '0x', ADDRESS], `0x${'01'.repeat(65)}`]]), /authorizes another key/],
    [typed('76', [...fields, [], []]), /has 13 fields, not 15/],
    [withFields({ 12: [['0x01', ADDRESS, '0x', `0x${'01'.repeat(65)}`]] }), /authorization list, which no policy would see/],
    [withFields({ 12: '0x' }), /authorization list must be a list/],
    [withFields({ 0: '0x' }), /chain id must not be 0/],
    [withFields({ 0: '0x0001' }), /chain id must not have leading zeros/],
    [withFields({ 0: `0x${'01'.repeat(9)}` }), /chain id must be below 2\^64/],
    [withFields({ 1: `0x${'01'.repeat(17)}` }), /maximum priority fee must be below 2\^128/],
    [withFields({ 2: `0x${'01'.repeat(17)}` }), /maximum fee must be below 2\^128/],
    [withFields({ 3: '0x00' }), /gas limit must not have leading zeros/],
    [withFields({ 4: [] }), /at least one call/],
    [withFields({ 4: '0x' }), /calls must be a list/],
    [withFields({ 4: [ADDRESS] }), /call 0 must be a list/],
    [withFields({ 4: [CALL, CALL.slice(0, 2)] }), /call 1 must have 3 items, not 2/],
    [withFields({ 4: [['0x1111', '0x', '0x']] }), /recipient must have 20 bytes/],
    [withFields({ 4: [[ADDRESS, '0x00', '0x']] }), /value must not have leading zeros/],
    [withFields({ 4: [[ADDRESS, '0x', ['0x']]] }), /data must be bytes/],
    [withFields({ 5: '0x' }), /access list must be a list/],
    [withFields({ 5: [[ADDRESS, ['0x11']]] }), /storage key must have 32 bytes/],
    [withFields({ 6: `0x${'01'.repeat(33)}` }), /nonce key must be below 2\^256/],
    [withFields({ 7: `0x${'01'.repeat(9)}` }), /nonce must be below 2\^64/],
    [withFields({ 8: `0x${'01'.repeat(9)}` }), /valid_before must be below 2\^64/],
    [withFields({ 8: '0x05', 9: '0x05' }), /valid_before must be after valid_after/],
    [withFields({ 9: ['0x05'] }), /valid_after must be bytes/],
    [withFields({ 10: '0x20' }), /fee token must have 20 bytes/],
    [withFields({ 10: ADDRESS, 11: '0x00' }), /must not name a fee token/],
    [withFields({ 11: ['0x', '0x01', '0x02'] }), /the sender signs 0x00 in place of the fee payer’s signature/],
    [withFields({ 11: ADDRESS }), /the sender signs 0x00 in place of the fee payer’s signature/],
    [longer, /not canonical/],
    [Buffer.concat([bytes('76'), Buffer.alloc(100_000, 0xc1)]), /not RLP/],
  ];
  for (const [unsigned, why] of refused) assert.match(refusal(unsigned).message, why, hex(unsigned.subarray(0, 120)));
});

test('damaged transactions: a typed refusal, or the very bytes that are signed', async () => {
  const samples = await Promise.all(fc.sample(anyTransaction, 200).map((sample) => Transaction.serialize(sample as never)));
  const signature: RawSignature = { r: Buffer.alloc(32, 1), s: Buffer.alloc(32, 2), v: 1 };
  const outcomes = { accepted: 0, refused: 0 };
  const attempt = (unsigned: Uint8Array) => {
    let parsed: ReturnType<typeof parse>;
    try {
      parsed = parse(unsigned);
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === 'INVALID_TRANSACTION', String(error));
      outcomes.refused++;
      return;
    }
    parsed.view(new Map());
    // The signed transaction keeps the items of the list as they came, and the signature follows them.
    const signed = asBuffer(parsed.attach([signature]));
    const headOf = (data: Uint8Array) => (data[1]! < 0xf8 ? 2 : 2 + data[1]! - 0xf7);
    const last = Buffer.concat([bytes('b841'), signature.r, signature.s, Buffer.of(28)]);
    assert.deepEqual(signed.subarray(headOf(signed)), Buffer.concat([unsigned.subarray(headOf(unsigned)), last]));
    outcomes.accepted++;
  };
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(2)), { maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...samples), edits, (sample, changes) => {
      let damaged = bytes(sample);
      for (const [at, byte, kind] of changes) {
        const i = at % damaged.length;
        const rest = damaged.subarray(kind === 0 ? i + 1 : i + kind - 1);
        damaged = Buffer.concat([damaged.subarray(0, i), Buffer.of(byte), rest]);
      }
      attempt(damaged);
    }),
    { numRuns: rounds(3000) },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (random) => attempt(Buffer.concat([Buffer.of(0x76), random]))),
    { numRuns: rounds(1000) },
  );
  assert.ok(outcomes.accepted > rounds(300) && outcomes.refused > rounds(1000), JSON.stringify(outcomes));
});
