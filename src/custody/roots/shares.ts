import { createSecretKey, type KeyObject } from 'node:crypto';
import { zero } from '../../base/bytes.ts';
import type { Random } from '../../base/random.ts';
import { splitSecret } from '../../crypto/slip39/slip39.ts';
import type { RootKey } from '../types.ts';
import { localRoot } from './local.ts';
import { isIdOf, rootId } from './root-id.ts';

export const ROOT_KEY_BYTES = 32;

export type Division = { threshold: number; count: number };

/** `shares`: a text each. `rootKey`: the id of the key. */
export type Divided = { rootKey: string; shares: string[] };

/** The root key that shares gave. */
export const sharesRoot = (key: KeyObject, random: Random): RootKey =>
  localRoot('shares', key.export(), 'the root key of these shares', random);

/** Divides a root key, and overwrites it. */
export async function divideKey(kind: string, key: Buffer, division: Division, random: Random): Promise<Divided> {
  try {
    return { rootKey: rootId(kind, key), shares: await splitSecret(key, division, random) };
  } finally {
    zero(key);
  }
}

/** A new root key, which only its shares will keep. */
export async function newDividedKey(division: Division, random: Random): Promise<Divided & { key: KeyObject }> {
  const bytes = random(ROOT_KEY_BYTES);
  const key = createSecretKey(bytes);
  return { key, ...(await divideKey('shares', bytes, division, random)) };
}

/** Whether one of these ids is of this key, whichever provider has it. */
export function isKeyOf(ids: readonly string[], key: KeyObject): boolean {
  const bytes = key.export();
  try {
    return ids.some((id) => isIdOf(id, bytes));
  } finally {
    zero(bytes);
  }
}

/** The id of a key, for this provider. */
export function idOfKey(kind: string, key: KeyObject): string {
  const bytes = key.export();
  try {
    return rootId(kind, bytes);
  } finally {
    zero(bytes);
  }
}
