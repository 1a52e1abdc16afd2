import { openMasterKey, rewrapMasterKey } from '../../custody/masters.ts';
import type { RootKey } from '../../custody/types.ts';
import type { Store, WrappedMasterKey } from '../../store/types.ts';

/** `changed`: false in a dry run, and if the new root key already wraps every master key. */
export type RootRotation = { from: string; to: string; versions: number[]; changed: boolean };

type Keys = { from: RootKey; to: RootKey };

const ATTEMPTS = 5;

const wrappedKeys = async (store: Pick<Store, 'read'>): Promise<WrappedMasterKey[]> =>
  (await store.read.instance.masterKeys()).filter(({ wrapped }) => wrapped.length > 0);

/** Whether this root key already wraps every master key. Ids of passphrases are alike, so it must open them. */
async function alreadyBy(root: RootKey, rows: readonly WrappedMasterKey[]): Promise<boolean> {
  if (rows.some(({ rootId }) => rootId !== root.id)) return false;
  try {
    for (const row of rows) await openMasterKey(root, row);
    return true;
  } catch {
    return false;
  }
}

/**
 * Wraps every master key by another root key. Providers are asked before the transaction, which changes all rows or none. So a process
 * that is killed leaves the old root key or the new one, and no mixture.
 */
export async function rotateRoot(store: Store, { from, to }: Keys, dryRun: boolean): Promise<RootRotation> {
  for (let attempt = 1; ; attempt++) {
    const rows = await wrappedKeys(store);
    const rotation = { from: from.id, to: to.id, versions: rows.map(({ version }) => version) };
    if (await alreadyBy(to, rows)) return { ...rotation, changed: false };
    const made = new Map<number, { rootId: string; wrapped: Buffer }>();
    for (const row of rows) made.set(row.version, await rewrapMasterKey(from, to, row));
    if (dryRun) return { ...rotation, changed: false };
    const isDone = await store.exclusively(async (tx) => {
      const now = (await tx.instance.masterKeys()).filter(({ wrapped }) => wrapped.length > 0);
      const isSame = now.length === rows.length && now.every((row, i) => row.wrapped.equals(rows[i]!.wrapped));
      if (!isSame) return false;
      for (const row of rows) await tx.instance.rewrapMasterKey(row.version, row.wrapped, made.get(row.version)!);
      return true;
    });
    if (isDone) return { ...rotation, changed: true };
    if (attempt === ATTEMPTS) throw new Error('another command changes the master keys: try again when it has ended');
  }
}
