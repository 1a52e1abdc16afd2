import { utf8, viewOf } from '../../base/bytes.ts';
import { sha256 } from '../hash.ts';

/** A key of an account that signs. Keys for preimages never do. */
export type SparkKey =
  | { type: 'identity' }
  | { type: 'signingLeaf'; leafId: string }
  | { type: 'deposit' }
  | { type: 'staticDeposit'; index: number };

const IDENTITY = /^m\/8797555'\/(\d+)'\/0'$/;

/** The number of the account whose identity key is at this path; undefined for other paths. */
export function sparkAccountAt(path: string): number | undefined {
  const [, account] = IDENTITY.exec(path) ?? [];
  return account === undefined ? undefined : Number(account);
}

/** Leaves have 2³¹ keys. Two leaves have the same key if they have the same number. */
export const leafNumber = (leafId: string): number => viewOf(sha256(utf8(leafId))).getUint32(0) % 0x80000000;

function within(key: SparkKey): string {
  switch (key.type) {
    case 'identity':
      return "0'";
    case 'signingLeaf':
      return `1'/${leafNumber(key.leafId)}'`;
    case 'deposit':
      return "2'";
    case 'staticDeposit':
      return `3'/${key.index}'`;
  }
}

export const sparkPath = (account: number, key: SparkKey): string => `m/8797555'/${account}'/${within(key)}`;
