import { toHex } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { generatePrivateKey, publicKeyOf } from '../crypto/curves.ts';
import { p256Signer } from '../crypto/p256-sign.ts';
import { generateP384, p384PublicKey } from '../crypto/p384.ts';
import { asPlainKey, type PlainKey, wipe } from '../crypto/plain-key.ts';
import { uncompressed } from '../crypto/points.ts';
import type { Envelope } from './envelope.ts';
import type { SecretName } from './types.ts';

/** A key of the service itself. It either signs, or opens ciphertexts from clients. `publicKey`: lower-case hex, uncompressed. */
export type ServiceKey = { name: ServiceKeyName; publicKey: string; sealed: Buffer };

/** A name never changes, because clients pin its key. */
export const serviceKeyNames = [
  'bundle-signer',
  'otp-signer',
  'legacy-token-signer',
  'session-signer',
  'identity-token-signer',
  'oauth2-secret-encryption',
  'on-ramp-secret-encryption',
  'attestation-signer',
  'operator-signer',
] as const;

export type ServiceKeyName = (typeof serviceKeyNames)[number];

/** Readers of attestation documents expect P-384. */
export const curveOfServiceKey = (name: ServiceKeyName): 'CURVE_P256' | 'CURVE_P384' =>
  name === 'attestation-signer' ? 'CURVE_P384' : 'CURVE_P256';

export type ServiceKeys = Readonly<Record<ServiceKeyName, ServiceKey>>;

/** The name of any key of the service, on any curve. */
export const serviceSecret = (name: string): SecretName => ({ organizationId: 'service', id: name, purpose: 'service-key' });

export function newServiceKey(envelope: Envelope, random: Random, name: ServiceKeyName): ServiceKey {
  const large = curveOfServiceKey(name) === 'CURVE_P384';
  const key = large ? asPlainKey(generateP384(random)) : generatePrivateKey('CURVE_P256', random);
  try {
    const point = large ? p384PublicKey(key) : uncompressed('CURVE_P256', publicKeyOf('CURVE_P256', key));
    return { name, publicKey: toHex(point), sealed: envelope.seal(serviceSecret(name), key) };
  } finally {
    wipe(key);
  }
}

/** Opens the key for one call, and wipes it afterwards. */
export function withServiceKey<T>(
  envelope: Envelope,
  { name, sealed }: { name: string; sealed: Buffer },
  use: (key: PlainKey) => T,
): T {
  const key = envelope.open(serviceSecret(name), sealed);
  try {
    return use(key);
  } finally {
    wipe(key);
  }
}

const signers = new WeakMap<ServiceKey, (data: Uint8Array) => Uint8Array>();

/** ECDSA on P-256 over SHA-256: r ‖ s. The key is opened at its first use and kept in memory (decision 0005). */
export function signWithServiceKey(envelope: Envelope, service: ServiceKey, data: Uint8Array): Uint8Array {
  let signer = signers.get(service);
  if (signer === undefined) {
    signer = withServiceKey(envelope, service, p256Signer);
    signers.set(service, signer);
  }
  return signer(data);
}
