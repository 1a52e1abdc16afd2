/** Keys of people who sign in without a passkey. They are in memory, or on request in this browser's store. */
import { forget, keep, kept, keptBelow } from '../service/indexed-db.ts';
import { newStampKey, type StampKey } from '../service/stamps.ts';

const OWN = 'own-key';

/** Each key has a place of its own, so none replaces another. */
const placeOf = (publicKey: string): string => `${OWN} ${publicKey}`;

const inMemory = new Map<string, StampKey>();

export const ownKey = async (publicKey: string): Promise<StampKey | undefined> =>
  inMemory.get(publicKey) ?? (await kept<StampKey>(placeOf(publicKey)));

export const storedKeys = (): Promise<StampKey[]> => keptBelow<StampKey>(`${OWN} `);

/** A key made in this browser. */
export async function makeKey(): Promise<StampKey> {
  const made = await newStampKey();
  await storeKey(made);
  return made;
}

export function holdKey(key: StampKey): void {
  inMemory.set(key.publicKey, key);
}

/** The pages belong to another person now. */
export const dropHeldKeys = (): void => inMemory.clear();

export const storeKey = (key: StampKey): Promise<void> => keep(placeOf(key.publicKey), key);

export async function forgetKey(publicKey: string): Promise<void> {
  inMemory.delete(publicKey);
  await forget(placeOf(publicKey));
}
