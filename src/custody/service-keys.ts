import { toHex, zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { generatePrivateKey, publicKeyOf, signDigest } from '../crypto/curves.ts';
import { sha256 } from '../crypto/hash.ts';
import { uncompressed } from '../crypto/points.ts';
import type { Envelope } from './envelope.ts';
import type { SecretName } from './types.ts';

/** A signing key of the service itself, on P-256. `publicKey`: lower-case hex, 65 bytes. */
export type ServiceKey = { name: ServiceKeyName; publicKey: string; sealed: Buffer };

/** A name never changes, because clients pin its key. */
export const serviceKeyNames = ['bundle-signer', 'otp-signer', 'legacy-token-signer'] as const;

export type ServiceKeyName = (typeof serviceKeyNames)[number];

const secretName = (name: ServiceKeyName): SecretName => ({ organizationId: 'service', id: name, purpose: 'service-key' });

export function newServiceKey(envelope: Envelope, random: Random, name: ServiceKeyName): ServiceKey {
  const key = generatePrivateKey('CURVE_P256', random);
  try {
    const publicKey = toHex(uncompressed('CURVE_P256', publicKeyOf('CURVE_P256', key)));
    return { name, publicKey, sealed: envelope.seal(secretName(name), key) };
  } finally {
    zero(key);
  }
}

/** ECDSA on P-256 over SHA-256: r ‖ s. */
export function signWithServiceKey(envelope: Envelope, { name, sealed }: ServiceKey, data: Uint8Array): Buffer {
  const key = envelope.open(secretName(name), sealed);
  try {
    const { r, s } = signDigest('CURVE_P256', key, sha256(data));
    return Buffer.concat([r, s]);
  } finally {
    zero(key);
  }
}
