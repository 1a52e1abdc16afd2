import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '../base/random.ts';
import type { RootKey } from './types.ts';

type WrappedMasterKey = { version: number; rootId: string; wrapped: Buffer; retired: boolean };

const aad = (version: number): Buffer => Buffer.from(`countersign/master-key/${version}`);

/** A fresh master key, wrapped for the store. */
export async function newMasterKey(root: RootKey, version: number, random: Random): Promise<Buffer> {
  const plain = random(32);
  try {
    return await root.wrap(plain, aad(version));
  } finally {
    plain.fill(0);
  }
}

/** Unwraps every live master key, once, at start. */
export async function openMasterKeys(root: RootKey, wrapped: readonly WrappedMasterKey[]): Promise<Map<number, KeyObject>> {
  const keys = new Map<number, KeyObject>();
  for (const row of wrapped) {
    if (row.retired) continue;
    if (row.rootId !== root.id) {
      throw new Error(
        `the database's master key is wrapped by root key "${row.rootId}", and this process was given "${root.id}": ` +
          'give every process of one database the same root key (see "Root key" in docs/operating.md)',
      );
    }
    const plain = await root.unwrap(row.wrapped, aad(row.version));
    keys.set(row.version, createSecretKey(plain));
    plain.fill(0);
  }
  return keys;
}
