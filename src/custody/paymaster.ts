import { toHex } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { generatePrivateKey, publicKeyOf, signDigest, signEd25519 } from '../crypto/curves.ts';
import { wipe } from '../crypto/plain-key.ts';
import type { Envelope } from './envelope.ts';
import { serviceSecret, withServiceKey } from './service-keys.ts';
import type { PaymasterVault } from './types.ts';

/** Sealed and stored like the service's other keys, but not published: clients verify nothing with them. */
export const paymasterKeyNames = ['paymaster-secp256k1', 'paymaster-ed25519'] as const;

export type PaymasterKeyName = (typeof paymasterKeyNames)[number];

/** `publicKey`: lower-case hex, 33 or 32 bytes. */
export type PaymasterKey = { name: PaymasterKeyName; publicKey: string; sealed: Buffer };

export type PaymasterKeys = Readonly<Record<PaymasterKeyName, PaymasterKey>>;

const CURVES = { 'paymaster-secp256k1': 'CURVE_SECP256K1', 'paymaster-ed25519': 'CURVE_ED25519' } as const;

export function newPaymasterKey(envelope: Envelope, random: Random, name: PaymasterKeyName): PaymasterKey {
  const key = generatePrivateKey(CURVES[name], random);
  try {
    return { name, publicKey: toHex(publicKeyOf(CURVES[name], key)), sealed: envelope.seal(serviceSecret(name), key) };
  } finally {
    wipe(key);
  }
}

export type PaymasterAddresses = Readonly<Record<'eip155' | 'solana', string>>;

export function paymaster(envelope: Envelope, keys: PaymasterKeys, addresses: PaymasterAddresses): PaymasterVault {
  return {
    address: (chain) => addresses[chain],
    signDigest: (digest) =>
      withServiceKey(envelope, keys['paymaster-secp256k1'], (key) => signDigest('CURVE_SECP256K1', key, digest)),
    signMessage: (message) => withServiceKey(envelope, keys['paymaster-ed25519'], (key) => signEd25519(key, message)),
  };
}
