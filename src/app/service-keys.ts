import type { Random } from '../base/random.ts';
import type { Envelope } from '../custody/envelope.ts';
import { newServiceKey, serviceKeyNames, serviceKeyUses } from '../custody/service-keys.ts';
import type { ServiceKeys } from '../custody/vault.ts';
import type { ServiceKeyRow, Store } from '../store/types.ts';

const missing = (rows: readonly ServiceKeyRow[]) => serviceKeyNames.filter((name) => !rows.some((row) => row.name === name));

/** The service's own keys, created at the first start and shared by all processes of one database. */
export async function openServiceKeys(store: Store, envelope: Envelope, random: Random, now: number): Promise<ServiceKeys> {
  let rows = await store.read.instance.serviceKeys();
  if (missing(rows).length > 0) {
    rows = await store.exclusively(async (tx) => {
      const there = await tx.instance.serviceKeys();
      const made = missing(there).map((name) => newServiceKey(envelope, random, name));
      for (const key of made) await tx.instance.insertServiceKey(key, now);
      return [...there, ...made];
    });
  }
  return Object.fromEntries(rows.map((row) => [row.name, row])) as ServiceKeys;
}

/** The response of `GET /public/v1/discovery/keys`: the service's public keys, in the formats that clients expect. */
export function discoveryDocument(keys: ServiceKeys): string {
  return JSON.stringify({
    keys: serviceKeyNames.map((name) => ({
      name,
      use: serviceKeyUses[name],
      curve: 'CURVE_P256',
      algorithm: 'ECDSA with SHA-256, DER',
      publicKey: keys[name].publicKey,
    })),
  });
}
