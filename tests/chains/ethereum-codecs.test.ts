/** Our own readers against viem: the same values, and no bytes that viem would write differently. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AbiParameter, decodeAbiParameters, encodeAbiParameters, fromRlp, toFunctionSelector, toHex, toRlp } from 'viem';
import { decodeCall } from '../../src/chains/ethereum/abi.ts';
import { type Rlp, readRlpList, writeRlp } from '../../src/chains/ethereum/rlp.ts';
import { asBuffer } from '../../src/crypto/buffers.ts';
import type { Value } from '../../src/policy/index.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

type Hex = `0x${string}`;
type Made = { parameter: AbiParameter; signature: string; value: unknown };

const hexOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => toHex(bytes));
const sizes = fc.integer({ min: 1, max: 32 });

const atom: fc.Arbitrary<Made> = fc
  .oneof(
    fc.record({ type: fc.constant('bool'), value: fc.boolean() }),
    fc.record({ type: fc.constant('address'), value: hexOf(20) }),
    fc.record({ type: fc.constant('string'), value: fc.string({ unit: 'binary', maxLength: 70 }) }),
    fc.record({ type: fc.constant('bytes'), value: fc.uint8Array({ maxLength: 70 }).map((bytes) => toHex(bytes)) }),
    sizes.chain((n) => fc.record({ type: fc.constant(`bytes${n}`), value: hexOf(n) })),
    sizes.chain((n) => fc.record({ type: fc.constant(`uint${8 * n}`), value: fc.bigInt(0n, 2n ** BigInt(8 * n) - 1n) })),
    sizes.chain((n) =>
      fc.record({ type: fc.constant(`int${8 * n}`), value: fc.bigInt(-(2n ** BigInt(8 * n - 1)), 2n ** BigInt(8 * n - 1) - 1n) }),
    ),
  )
  .map(({ type, value }) => ({ parameter: { type }, signature: type, value }));

/** Lists share one type, so that values of the others are made from it by repetition. */
const { made } = fc.letrec<{ made: Made }>((tie) => ({
  made: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    atom,
    fc.array(tie('made'), { minLength: 1, maxLength: 4 }).map(
      (members): Made => ({
        parameter: { type: 'tuple', components: members.map(({ parameter }) => parameter) } as AbiParameter,
        signature: `(${members.map(({ signature }) => signature).join(',')})`,
        value: members.map(({ value }) => value),
      }),
    ),
    fc.tuple(tie('made'), fc.nat(3), fc.boolean()).map(([{ parameter, signature, value }, length, fixed]): Made => {
      const suffix = fixed ? `[${length + 1}]` : '[]';
      return {
        parameter: { ...parameter, type: parameter.type + suffix },
        signature: signature + suffix,
        value: Array(fixed ? length + 1 : length).fill(value),
      };
    }),
  ),
}));

/** A value of viem as policies see it. */
function plain(value: unknown, parameter: AbiParameter): Value {
  const array = /^(.*)\[\d*\]$/.exec(parameter.type);
  if (array) return (value as unknown[]).map((item) => plain(item, { ...parameter, type: array[1]! }));
  if ('components' in parameter) return parameter.components.map((component, i) => plain((value as unknown[])[i], component));
  if (typeof value === 'number') return BigInt(value);
  return typeof value === 'string' && parameter.type !== 'string' ? value.toLowerCase() : (value as Value);
}

/** Undefined if viem cannot read it, or would write it differently. */
function readByViem(parameters: readonly AbiParameter[], data: Hex): Value[] | undefined {
  try {
    const values = decodeAbiParameters(parameters, data) as readonly unknown[];
    if (!data.startsWith(encodeAbiParameters(parameters, values))) return undefined;
    return parameters.map((parameter, i) => plain(values[i], parameter));
  } catch {
    return undefined;
  }
}

const mutation = fc.record({
  at: fc.nat(),
  byte: fc.oneof(fc.constantFrom(0, 1, 0x20, 0x40, 0x80, 0xff), fc.nat(255)),
  cut: fc.nat(9),
});

function mutated(data: Buffer, { at, byte, cut }: { at: number; byte: number; cut: number }): Buffer {
  if (data.length === 0) return data;
  if (cut === 0) return data.subarray(0, at % data.length);
  const changed = Buffer.from(data);
  // The last byte of a word is changed as often as any other: offsets, lengths and flags are there.
  changed[cut < 5 ? (Math.floor((at % data.length) / 32) * 32 + 31) % data.length : at % data.length] = byte;
  return changed;
}

test('arguments are what viem reads, and data that it would write otherwise has none', () => {
  const seen = { read: 0, changed: 0, refused: 0 };
  const check = (mades: readonly Made[], data: Buffer) => {
    const parameters = mades.map(({ parameter }) => parameter);
    const selector = toFunctionSelector(`call(${mades.map(({ signature }) => signature).join(',')})`);
    const abi = JSON.stringify([{ type: 'function', name: 'call', inputs: parameters }]);
    const read = decodeCall(`${selector}${data.toString('hex')}`, abi);
    assert.equal(read.function_name, 'call');
    const wanted = readByViem(parameters, toHex(data));
    assert.deepEqual({ ...(read.contract_call_args as object) }, { ...wanted });
    return wanted !== undefined;
  };
  fc.assert(
    fc.property(fc.array(made, { minLength: 1, maxLength: 4 }), fc.array(mutation, { maxLength: 6 }), (mades, mutations) => {
      const encoded = encodeAbiParameters(
        mades.map(({ parameter }) => parameter),
        mades.map(({ value }) => value),
      );
      const data = Buffer.from(encoded.slice(2), 'hex');
      if (check(mades, data)) seen.read++;
      check(mades, Buffer.concat([data, Buffer.of(1, 2, 3)]));
      for (const mutation of mutations) seen[check(mades, mutated(data, mutation)) ? 'changed' : 'refused']++;
    }),
    { numRuns: rounds(1500) },
  );
  for (const [what, count] of Object.entries(seen)) assert.ok(count > rounds(300), `${what}: ${count}`);
});

test('a list of thousands, and text with marks that nobody sees', () => {
  const read = (type: string, value: unknown) => {
    const data = encodeAbiParameters([{ type }], [value]);
    const abi = JSON.stringify([{ type: 'function', name: 'call', inputs: [{ type, name: 'it' }] }]);
    const args = decodeCall(`${toFunctionSelector(`call(${type})`)}${data.slice(2)}`, abi).contract_call_args;
    return { ours: (args as { it?: Value }).it, viems: readByViem([{ type }], data)?.[0] };
  };
  for (const [type, value] of [
    ['uint64[]', Array.from({ length: 20_000 }, (_, i) => BigInt(i))],
    ['string[]', Array.from({ length: 9_000 }, (_, i) => `text ${i}`)],
    ['string', '\u0000 a'],
    ['string', 'a\ufeff'],
    ['string', '\ufeffa'],
  ] as const) {
    const { ours, viems } = read(type, value);
    assert.deepEqual(ours, viems);
    assert.equal(ours === undefined, value === '\ufeffa');
  }
});

const { item } = fc.letrec<{ item: Rlp }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    fc.uint8Array({ maxLength: 3 }).map((bytes) => toHex(bytes) as Rlp),
    fc.uint8Array({ minLength: 50, maxLength: 300 }).map((bytes) => toHex(bytes) as Rlp),
    fc.array(tie('item'), { maxLength: 8 }),
  ),
}));

function listReadByViem(bytes: Buffer): unknown {
  try {
    const read = fromRlp(bytes, 'hex');
    return Array.isArray(read) && Buffer.from(toRlp(read, 'bytes')).equals(bytes) ? read : undefined;
  } catch {
    return undefined;
  }
}

function listReadHere(bytes: Buffer): unknown {
  try {
    return readRlpList(bytes);
  } catch (error) {
    assert.equal((error as { code?: unknown }).code, 'INVALID_TRANSACTION');
    return undefined;
  }
}

test('RLP is read and written as viem does, and what viem would write otherwise is refused', () => {
  const seen = { changed: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(item, { maxLength: 8 }), fc.array(mutation, { maxLength: 8 }), (list, mutations) => {
      const bytes = asBuffer(writeRlp(list));
      assert.deepEqual(bytes, Buffer.from(toRlp(list as Parameters<typeof toRlp>[0], 'bytes') as Uint8Array));
      assert.deepEqual(readRlpList(bytes), list);
      for (const mutation of mutations) {
        const changed = mutated(bytes, mutation);
        const wanted = listReadByViem(changed);
        assert.deepEqual(listReadHere(changed), wanted);
        seen[wanted === undefined ? 'refused' : 'changed']++;
      }
    }),
    { numRuns: rounds(1500) },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (few) => {
      const bytes = Buffer.concat([Buffer.of(0xc0 + few.length), few]);
      assert.deepEqual(listReadHere(bytes), listReadByViem(bytes));
    }),
    { numRuns: rounds(3000) },
  );
  for (const [what, count] of Object.entries(seen)) assert.ok(count > rounds(300), `${what}: ${count}`);
});

test('long lists and items; deeper than any transaction is refused', () => {
  for (const length of [55, 56, 255, 256, 65_535, 65_536, 100_000]) {
    const list = [toHex(new Uint8Array(length)), Array(length).fill('0x01')] as Rlp[];
    const bytes = asBuffer(writeRlp(list));
    assert.deepEqual(bytes, Buffer.from(toRlp(list as Parameters<typeof toRlp>[0], 'bytes') as Uint8Array));
    assert.deepEqual(readRlpList(bytes), list);
  }
  let deep: Rlp = [];
  for (let i = 0; i < 32; i++) deep = [deep];
  assert.deepEqual(readRlpList(writeRlp(deep)), deep);
  assert.throws(() => readRlpList(writeRlp([deep])), { code: 'INVALID_TRANSACTION' });
  // Lengths in more bytes than they need, in eight, and beyond the end.
  for (const hex of ['f800', 'f83700', 'f90038', 'c2b800', 'c18100', 'c28101', 'ff0000000000000001c0', 'bb', 'c1', ''])
    assert.throws(() => readRlpList(Buffer.from(hex, 'hex')), { code: 'INVALID_TRANSACTION' }, hex);
});
