import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '../base/random.ts';
import type { WrappedMasterKey } from '../store/types.ts';
import { providerOf, settingsFor } from './roots/providers.ts';
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

type Wrapped = Pick<WrappedMasterKey, 'version' | 'rootId' | 'wrapped'>;

/** Runs before the root key is read. Throws if another provider wrapped the master keys, and names that provider. */
export function checkProvider(provider: string, wrapped: readonly Wrapped[]): void {
  const other = wrapped.find(({ rootId, wrapped }) => wrapped.length > 0 && providerOf(rootId) !== provider);
  if (other === undefined) return;
  throw new Error(
    `the database was sealed with ROOT_KEY_PROVIDER=${providerOf(other.rootId)}, but this process was started with ` +
      `ROOT_KEY_PROVIDER=${provider}: set ${settingsFor(other.rootId)}`,
  );
}

async function unwrapped<T>(root: RootKey, { version, rootId, wrapped }: Wrapped, use: (plain: Buffer) => T): Promise<T> {
  if (rootId !== root.id)
    throw new Error(
      `the database was sealed with root key "${rootId}", but this process has "${root.id}": ` +
        'give all processes of one database the same root key (see docs/operating/keys.md)',
    );
  const plain = await root.unwrap(wrapped, aad(version));
  try {
    if (plain.length !== 32) throw new Error(`the root key "${root.id}" opened something that is not a master key`);
    return await use(plain);
  } finally {
    plain.fill(0);
  }
}

/** Opens one version. */
export const openMasterKey = (root: RootKey, row: Wrapped): Promise<KeyObject> => unwrapped(root, row, createSecretKey);

/** Unwraps every master key that is not retired. Called once, at the start. */
export async function openMasterKeys(root: RootKey, wrapped: readonly Wrapped[]): Promise<Map<number, KeyObject>> {
  checkProvider(providerOf(root.id), wrapped);
  const keys = new Map<number, KeyObject>();
  // A retired version has no key any more.
  for (const row of wrapped) if (row.wrapped.length > 0) keys.set(row.version, await openMasterKey(root, row));
  return keys;
}

/** Wraps a master key by another root key, and opens the result as a check. */
export async function rewrapMasterKey(from: RootKey, to: RootKey, row: Wrapped): Promise<{ rootId: string; wrapped: Buffer }> {
  const wrapped = await unwrapped(from, row, async (plain) => {
    const made = await to.wrap(plain, aad(row.version));
    const opened = await to.unwrap(made, aad(row.version));
    const isSame = createSecretKey(opened).equals(createSecretKey(plain));
    opened.fill(0);
    if (!isSame) throw new Error(`the new root key "${to.id}" does not open what it wrapped: nothing was changed`);
    return made;
  });
  return { rootId: to.id, wrapped };
}
