import type { Store } from '../../store/types.ts';

/** Erases versions that only verify keyed hashes, once the last of these has expired. */
export async function retireUnused(store: Store, now: number): Promise<void> {
  for (const { version, state } of await store.read.instance.masterKeys()) {
    if (state !== 'hashes' || (await store.sealed.hashesUntil(version, now)) !== undefined) continue;
    await store.exclusively((tx) => tx.instance.retireMasterKey(version, 'hashes'));
  }
}
