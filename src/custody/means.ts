import type { Random } from '../base/random.ts';
import { publicKeyOf } from '../crypto/curves.ts';
import { encodeEcdsaSignature } from '../crypto/der.ts';
import { type KeyBytes, type PlainKey, wipe } from '../crypto/plain-key.ts';
import type { Envelope } from './envelope.ts';
import { type ServiceKeyName, type ServiceKeys, signWithServiceKey } from './service-keys.ts';
import type { Sealed, SealedKey, SecretName } from './types.ts';

/** Dependencies of every part of the vault. */
export type Means = { envelope: Envelope; random: Random; services: ServiceKeys };

/** Opens a secret for one call, and wipes it afterwards. */
export function withSecret<T>({ envelope }: Pick<Means, 'envelope'>, secret: Sealed, use: (plain: PlainKey) => T): T {
  const plain = envelope.open(secret.name, secret.sealed);
  try {
    return use(plain);
  } finally {
    wipe(plain);
  }
}

/** Seals a key, and wipes the plaintext. */
export function sealKey(
  { envelope }: Means,
  name: SecretName,
  curve: SealedKey['curve'],
  key: KeyBytes,
): { publicKey: Buffer; sealed: Buffer } {
  try {
    return { publicKey: publicKeyOf(curve, key), sealed: envelope.seal(name, key) };
  } finally {
    wipe(key);
  }
}

/** Signs a bundle with a key of the service. */
export const bundleSigner = ({ envelope, services }: Means, name: ServiceKeyName = 'bundle-signer') => ({
  sign: (data: Buffer) => encodeEcdsaSignature(signWithServiceKey(envelope, services[name], data)),
  signerPublicKey: Buffer.from(services[name].publicKey, 'hex'),
});
