import { createSecretKey, type KeyObject } from 'node:crypto';
import { zero } from '../../base/bytes.ts';
import type { Random } from '../../base/random.ts';
import { readShare } from '../../crypto/slip39/share.ts';
import { combineSecret, splitSecret } from '../../crypto/slip39/slip39.ts';
import type { RootKey } from '../types.ts';
import { localRoot } from './local.ts';
import { isIdOf, rootId } from './root-id.ts';

export const ROOT_KEY_BYTES = 32;

/** Any `threshold` of `count` shares give the key. */
export type Division = { threshold: number; count: number };

/** `rootKey`: the id of the key. `shares`: their texts. Share 1 is the first. */
export type Divided = Division & { rootKey: string; shares: string[] };

/** The root key that shares gave. */
export const sharesRoot = (key: KeyObject, random: Random): RootKey =>
  localRoot('shares', key.export(), 'the root key of these shares', random);

/** Divides a root key, and overwrites it. The first and the last shares give it again, as a check. */
export async function divideKey(kind: string, key: Buffer, division: Division, random: Random): Promise<Divided> {
  const { threshold } = division;
  try {
    const shares = await splitSecret(key, division, random);
    for (const some of [shares.slice(0, threshold), shares.slice(-threshold)]) {
      const again = await combineSecret(some.map(readShare));
      const isSame = createSecretKey(again).equals(createSecretKey(key));
      zero(again);
      if (!isSame) throw new Error('the shares do not give the key again: nothing was made');
    }
    return { ...division, rootKey: rootId(kind, key), shares };
  } finally {
    zero(key);
  }
}

/** A new root key, which only its shares will keep. `hex`: for the process that wraps the master keys. */
export async function newDividedKey(division: Division, random: Random): Promise<{ divided: Divided; hex: string }> {
  const bytes = random(ROOT_KEY_BYTES);
  const hex = bytes.toString('hex');
  return { divided: await divideKey('shares', bytes, division, random), hex };
}

/** The root key in a text of 64 hex digits. */
export function keyOfHex(hex: string): KeyObject {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error('the new root key must have 64 hex digits');
  const bytes = Buffer.from(hex, 'hex');
  const key = createSecretKey(bytes);
  zero(bytes);
  return key;
}

function withBytes<T>(key: KeyObject, use: (bytes: Buffer) => T): T {
  const bytes = key.export();
  try {
    return use(bytes);
  } finally {
    zero(bytes);
  }
}

/** Whether one of these ids is of this key, whichever provider has it. */
export const isKeyOf = (ids: readonly string[], key: KeyObject): boolean =>
  withBytes(key, (bytes) => ids.some((id) => isIdOf(id, bytes)));

export const idOfKey = (kind: string, key: KeyObject): string => withBytes(key, (bytes) => rootId(kind, bytes));
