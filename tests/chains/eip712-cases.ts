/** Typed data for the tests of EIP-712, and the digests that other libraries compute of it. */

import { TypedDataEncoder } from 'ethers';
import { hashTypedData } from 'viem';
import { toHex } from '../../src/base/bytes.ts';
import { type ApiError, invalid } from '../../src/base/errors.ts';
import { eip712Digest } from '../../src/chains/ethereum/eip712.ts';
import { atoms } from '../../src/chains/ethereum/eip712-atoms.ts';
import { seededBytes } from '../crypto/vectors.ts';
import { seeded } from '../support/seeded.ts';

export type Types = Record<string, { name: string; type: string }[]>;
export type Typed = { domain: Record<string, unknown>; types: Types; primaryType: string; message: Record<string, unknown> };

export const refuse = (why: string): ApiError => invalid('parameters.payload', why);
export const digest = (data: unknown): string => `0x${toHex(eip712Digest(typeof data === 'string' ? data : json(data), refuse))}`;
/** JSON as clients write it: bigints as decimal text. */
export const json = (data: unknown): string =>
  JSON.stringify(data, (_key, value) => (typeof value === 'bigint' ? `${value}` : value));

export function ofEthers({ domain, types, message }: Typed): string {
  const { EIP712Domain: _, ...rest } = types;
  return TypedDataEncoder.hash(domain, rest, message);
}

export const ofViem = (data: Typed): string => hashTypedData(data as unknown as Parameters<typeof hashTypedData>[0]);

/** The example of EIP-712 itself. */
export const mail: Typed = {
  domain: { name: 'Ether Mail', version: '1', chainId: 1, verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC' },
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
};

export const with_ = (changes: Partial<Record<keyof Typed, unknown>>): unknown => ({ ...mail, ...changes });

/** A payload with one field `v` of a type. */
export const one = (type: string, value: unknown, others: Types = {}): unknown => ({
  domain: {},
  types: { EIP712Domain: [], T: [{ name: 'v', type }], ...others },
  primaryType: 'T',
  message: { v: value },
});

/** Typed data of random types, in which each struct holds only later ones, with fitting values. */
export function generate(seed: number): Typed {
  const next = seeded(seed);
  const bytes = seededBytes(seed);
  const names = Array.from({ length: 1 + next(4) }, (_, i) => `${'STUV'[i]}${next(100)}`);
  const atomNames = [...atoms.keys()];
  const types: Types = {};
  for (const [i, name] of names.entries()) {
    types[name] = Array.from({ length: 1 + next(5) }, (_, k) => {
      const later = names[i + 1 + next(3)];
      const base = later !== undefined && next(2) ? later : atomNames[next(atomNames.length)]!;
      return { name: `f${k}`, type: base + ['', '', '', '[]', '[2]', '[][1]', '[2][]'][next(7)]! };
    });
  }
  // Every struct is used, so that ethers too takes the first for the primary type.
  for (const [i, name] of names.slice(1).entries()) types[names[i]!]!.push({ name: 'last', type: name });
  const value = (type: string): unknown => {
    const array = /^(.*)\[(\d*)\]$/.exec(type);
    if (array) return Array.from({ length: array[2] ? Number(array[2]) : next(3) }, () => value(array[1]!));
    if (types[type]) return Object.fromEntries(types[type].map((field) => [field.name, value(field.type)]));
    if (type === 'bool') return next(2) === 1;
    if (type === 'string') return ['', 'text', 'ü€😀', 'x'.repeat(100)][next(4)];
    if (type === 'address') return `0x${bytes(20).toString('hex')}`;
    const [, kind, size] = /^(bytes|uint|int)(\d*)$/.exec(type)!;
    if (kind === 'bytes') return `0x${bytes(size === '' ? next(70) : Number(size)).toString('hex')}`;
    const number = BigInt.asUintN(Number(size) - (kind === 'int' ? 1 : 0), BigInt(`0x${bytes(32).toString('hex')}`));
    return kind === 'int' && next(2) ? -number : number;
  };
  return {
    domain: { name: 'fuzz', chainId: BigInt(next(1e9)) },
    types,
    primaryType: names[0]!,
    message: value(names[0]!) as Record<string, unknown>,
  };
}
