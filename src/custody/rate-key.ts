import { createHmac, createSecretKey } from 'node:crypto';
import { bytesOfKey, wipe } from '../crypto/plain-key.ts';
import { type Envelope, hashed } from './envelope.ts';
import { serviceSecret, withServiceKey } from './service-keys.ts';

export const RATE_KEY = 'rate-hash';

/** No rotation changes it, so no limit begins anew. `publicKey` is empty. */
export type RateKey = { name: typeof RATE_KEY; publicKey: string; sealed: Buffer };

/** In a database from before this key, limits go on: it is the key that they were counted under. */
export function newRateKey(envelope: Envelope): RateKey {
  const key = envelope.hashKey();
  try {
    return { name: RATE_KEY, publicKey: '', sealed: envelope.seal(serviceSecret(RATE_KEY), key) };
  } finally {
    wipe(key);
  }
}

/** The keyed hash that names the holder of a limit. */
export function rateHash(envelope: Envelope, stored: RateKey): (scope: string, key: string) => Buffer {
  const hmac = withServiceKey(envelope, stored, (key) => createSecretKey(bytesOfKey(key)));
  return (scope, key) => {
    const name = { organizationId: 'service', id: scope, purpose: 'rate' };
    return hashed(1, name, createHmac('sha256', hmac), Buffer.from(key));
  };
}
