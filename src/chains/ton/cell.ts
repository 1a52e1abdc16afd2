import { concat } from '../../base/bytes.ts';
import { sha256 } from '../../crypto/hash.ts';

/** A reference to a cell: the hash of its representation, and its depth. */
export type CellRef = { hash: Uint8Array; depth: number };

/**
 * The bytes of a bit string: an incomplete last byte is padded with a one and zeros (TVM whitepaper §3.1.4).
 * `bits`: a text of 0 and 1, at most 1023 of them.
 */
function padded(bits: string): Uint8Array {
  const whole = bits.length % 8 === 0 ? bits : `${bits}1`.padEnd(Math.ceil(bits.length / 8) * 8, '0');
  return Uint8Array.from((whole.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** An ordinary cell of level 0 with these bits and references (TVM whitepaper §3.1.5). */
export function cell(bits: string, refs: readonly CellRef[] = []): CellRef {
  const descriptors = Uint8Array.of(refs.length, Math.floor(bits.length / 8) + Math.ceil(bits.length / 8));
  const depths = Uint8Array.from(refs.flatMap(({ depth }) => [depth >> 8, depth & 0xff]));
  const hash = sha256(concat([descriptors, padded(bits), depths, ...refs.map((ref) => ref.hash)]));
  return { hash, depth: refs.length === 0 ? 0 : 1 + Math.max(...refs.map((ref) => ref.depth)) };
}

/** A whole number in `bits` bits, most significant first. */
export function uint(value: number, bits: number): string {
  return value.toString(2).padStart(bits, '0');
}

export function bitsOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => uint(byte, 8)).join('');
}
