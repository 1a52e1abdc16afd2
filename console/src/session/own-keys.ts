/** Keys of people who sign in without a passkey. They are in memory, or on request in this browser's store. */
import { forget, keep, kept } from '../service/kept.ts';
import { newStampKey, type StampKey } from '../service/stamps.ts';

const OWN = 'own-key';

const inMemory = new Map<string, StampKey>();

export async function ownKey(publicKey: string): Promise<StampKey | undefined> {
  const stored = await kept<StampKey>(OWN);
  return inMemory.get(publicKey) ?? (stored?.publicKey === publicKey ? stored : undefined);
}

export const storedKey = (): Promise<StampKey | undefined> => kept<StampKey>(OWN);

/** The key made in this browser, made now if there is none. */
export async function demandStoredKey(): Promise<StampKey> {
  const found = await storedKey();
  if (found !== undefined) return found;
  const made = await newStampKey();
  await keep(OWN, made);
  return made;
}

export function holdKey(key: StampKey): void {
  inMemory.set(key.publicKey, key);
}

export const storeKey = (key: StampKey): Promise<void> => keep(OWN, key);

export async function forgetKeys(): Promise<void> {
  inMemory.clear();
  await forget(OWN);
}
