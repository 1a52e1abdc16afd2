import { toHex } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { generatePrivateKey, publicKeyOf } from '../crypto/curves.ts';
import { p256Signer } from '../crypto/p256-sign.ts';
import { type PlainKey, wipe } from '../crypto/plain-key.ts';
import { uncompressed } from '../crypto/points.ts';
import type { EphemeralVault } from './types.ts';

function withNewKey<T>(random: Random, use: (publicKey: Buffer, privateKey: PlainKey) => T): T {
  const key = generatePrivateKey('CURVE_P256', random);
  try {
    return use(Buffer.from(uncompressed('CURVE_P256', publicKeyOf('CURVE_P256', key))), key);
  } finally {
    wipe(key);
  }
}

/**
 * The key pair of this process. It is made at the start, stored nowhere, and ends with the process. Published clients expect a public
 * key for encryption in front of the one for signatures. This service opens nothing by it, so that private key is forgotten at once.
 */
export function ephemeral(random: Random): EphemeralVault {
  const encryption = withNewKey(random, (publicKey) => publicKey);
  return withNewKey(random, (publicKey, key) => ({
    publicKey: toHex(Buffer.concat([encryption, publicKey])),
    sign: p256Signer(key),
  }));
}
