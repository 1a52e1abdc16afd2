/** Our readers of messages and numbers against @solana/kit: the same values, and no bytes that kit would write differently. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addCodecSizePrefix,
  type Codec,
  fixCodecSize,
  getArrayCodec,
  getBytesCodec,
  getConstantCodec,
  getF32Codec,
  getF64Codec,
  getHiddenPrefixCodec,
  getI8Codec,
  getI16Codec,
  getI32Codec,
  getI64Codec,
  getI128Codec,
  getShortU16Codec,
  getStructCodec,
  getU8Codec,
  getU16Codec,
  getU32Codec,
  getU64Codec,
  getU128Codec,
} from '@solana/kit';
import { valueReader } from '../../src/chains/solana/idl-values.ts';
import { compactU16, type Message, readMessage } from '../../src/chains/solana/message.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';
import { seeded } from '../support/seeded.ts';
import { mutated, someTransaction } from './solana-cases.ts';

const shortU16 = getShortU16Codec();
const bytes = getBytesCodec() as Codec<Uint8Array>;
const bytes32 = fixCodecSize(bytes, 32);
const some = addCodecSizePrefix(bytes, shortU16);
const listOf = <F, T extends F>(item: Codec<F, T>): Codec<F[], T[]> =>
  getArrayCodec(item, { size: shortU16, requireSizePrefix: true });
const body = [
  ['requiredSignatures', getU8Codec()],
  ['readonlySigned', getU8Codec()],
  ['readonlyUnsigned', getU8Codec()],
  ['keys', listOf(bytes32)],
  ['blockhash', bytes32],
  [
    'instructions',
    listOf(
      getStructCodec([
        ['program', getU8Codec()],
        ['accounts', some],
        ['data', some],
      ]),
    ),
  ],
] as const;
const lookups = listOf(
  getStructCodec([
    ['key', bytes32],
    ['writable', some],
    ['readonly', some],
  ]),
);
const legacy = getStructCodec([...body]);
const version0 = getHiddenPrefixCodec(getStructCodec([...body, ['lookups', lookups]]), [getConstantCodec(Uint8Array.of(0x80))]);

/** Undefined if kit does not read all of it, or would write it differently. */
function readByKit(message: Uint8Array): Message | undefined {
  const isLegacy = message[0]! < 0x80;
  const codec = (isLegacy ? legacy : version0) as unknown as Codec<Omit<Message, 'lookups' | 'legacy'>>;
  try {
    const [value, end] = codec.read(message, 0);
    if (end !== message.length || Buffer.compare(codec.encode(value) as Uint8Array, message) !== 0) return undefined;
    return { legacy: isLegacy, lookups: [], ...value };
  } catch {
    return undefined;
  }
}

/** The message, or the kind of fault: in its form (malformed) or in its content (refused). */
function readHere(message: Uint8Array): Message | 'malformed' | 'refused' {
  try {
    return readMessage(message);
  } catch (error) {
    const { code, message: why } = error as { code?: unknown; message: string };
    assert.equal(code, 'INVALID_TRANSACTION');
    return /cut off|shortest form|bytes follow|not supported|is missing/.test(why) ? 'malformed' : 'refused';
  }
}

test('messages are what kit reads, also when bytes of them change', () => {
  const random = seeded(7);
  const seen = { read: 0, refused: 0, malformed: 0 };
  const plain = (value: unknown) =>
    JSON.stringify(value, (_, it) => (it instanceof Uint8Array ? Buffer.from(it).toString('hex') : it));
  for (let i = 0; i < rounds(800); i++) {
    const made = someTransaction(random);
    if (made === undefined) continue;
    for (let j = 0; j < 12; j++) {
      const transaction: Buffer = j === 0 ? Buffer.from(made.bytes) : mutated(random, Buffer.from(made.bytes));
      const message = transaction.subarray(1 + 64 * made.bytes[0]!);
      const [ours, kits] = [readHere(message), readByKit(message)];
      if (ours === 'malformed') assert.equal(kits, undefined, message.toString('hex'));
      else if (ours === 'refused') assert.notEqual(kits, undefined, message.toString('hex'));
      else for (const [name, value] of Object.entries(ours)) assert.equal(plain(value), plain(kits?.[name as keyof Message]));
      seen[typeof ours === 'string' ? ours : 'read']++;
    }
  }
  for (const [what, count] of Object.entries(seen)) assert.ok(count > rounds(100), `${what}: ${count}`);
});

test('every count in its shortest form, and no other', () => {
  for (let count = 0; count <= 0xffff; count++) {
    const written = shortU16.encode(count);
    assert.deepEqual(compactU16(written as Uint8Array, 0), { value: count, length: written.length, shortest: true });
  }
  for (const hex of ['', '80', 'ffff', 'ffff04', 'ffff7f', '80808000'])
    assert.equal(compactU16(Buffer.from(hex, 'hex'), 0), undefined, hex);
  for (const hex of ['8000', '808000', 'ff8000', '8100'])
    assert.equal(compactU16(Buffer.from(hex, 'hex'), 0)?.shortest, false, hex);
});

test('numbers of every width are what kit reads', () => {
  const codecs = {
    u8: getU8Codec(),
    u16: getU16Codec(),
    u32: getU32Codec(),
    u64: getU64Codec(),
    u128: getU128Codec(),
    i8: getI8Codec(),
    i16: getI16Codec(),
    i32: getI32Codec(),
    i64: getI64Codec(),
    i128: getI128Codec(),
    f32: getF32Codec(),
    f64: getF64Codec(),
  } as const;
  for (const [atom, codec] of Object.entries(codecs) as [keyof typeof codecs, (typeof codecs)[keyof typeof codecs]][]) {
    const { fixedSize: size } = codec;
    const edges = [0, 1, 0x7f, 0x80, 0xff].flatMap((byte) => [
      Buffer.alloc(size, byte),
      Buffer.concat([Buffer.alloc(size - 1), Buffer.of(byte)]),
    ]);
    const fields = { named: false, items: [{ name: '', type: { kind: 'atom', atom } }] } as const;
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...edges), fc.uint8Array({ minLength: size, maxLength: size })), (data) => {
        const wanted = codec.decode(data);
        const read = valueReader(new Map(), data)(fields) as unknown[] | undefined;
        if (Number.isNaN(wanted)) assert.equal(read, undefined);
        else assert.deepEqual(read, [atom.startsWith('f') ? String(wanted) : BigInt(wanted)]);
      }),
      { numRuns: rounds(200) },
    );
    assert.equal(valueReader(new Map(), Buffer.alloc(size - 1))(fields), undefined);
  }
});
