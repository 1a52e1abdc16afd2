import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '../base/random.ts';
import type { WrappedMasterKey } from '../store/types.ts';
import type { RootKey } from './types.ts';

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

/** The setting for each provider. A root key's id begins with its provider's name. */
const SETTINGS: Readonly<Record<string, string>> = {
  file: 'ROOT_KEY_PROVIDER=file, and ROOT_KEY_PATH to the path of its root key file',
  passphrase: 'ROOT_KEY_PROVIDER=passphrase, and ROOT_PASSPHRASE or ROOT_PASSPHRASE_FILE',
};

/** Runs before the root key is read. Throws if another provider wrapped the master keys, and names that provider. */
export function checkProvider(provider: string, wrapped: readonly WrappedMasterKey[]): void {
  for (const { rootId, retired } of wrapped) {
    const sealedBy = rootId.split(':')[0]!;
    if (retired || sealedBy === provider) continue;
    throw new Error(
      `the database was sealed with ROOT_KEY_PROVIDER=${sealedBy}, but this process was started with ` +
        `ROOT_KEY_PROVIDER=${provider}: set ${SETTINGS[sealedBy] ?? `ROOT_KEY_PROVIDER=${sealedBy}, which needs a newer version of the service`}`,
    );
  }
}

/** Unwraps every live master key. Called once, at the start. */
export async function openMasterKeys(root: RootKey, wrapped: readonly WrappedMasterKey[]): Promise<Map<number, KeyObject>> {
  checkProvider(root.id.split(':')[0]!, wrapped);
  const keys = new Map<number, KeyObject>();
  for (const row of wrapped) {
    if (row.retired) continue;
    if (row.rootId !== root.id) {
      throw new Error(
        `the database was sealed with root key "${row.rootId}", but this process has "${root.id}": ` +
          'give all processes of one database the same root key (see docs/operating/backup.md)',
      );
    }
    const plain = await root.unwrap(row.wrapped, aad(row.version));
    keys.set(row.version, createSecretKey(plain));
    plain.fill(0);
  }
  return keys;
}
