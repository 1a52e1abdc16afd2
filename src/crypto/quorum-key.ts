import { hkdfSync } from 'node:crypto';
import { zero } from '../base/bytes.ts';
import { isP256PrivateKey, p256Convert, p256PublicKey } from './p256.ts';

/** Length of the secret from which both keys of a quorum key are derived. */
export const QUORUM_SEED = 32;

/** Length of a public key in its whole form: the key to encrypt to, then the key that verifies. Both are points of P-256, uncompressed. */
export const QUORUM_PUBLIC_KEY = 130;

/** The two private keys of a quorum key. The caller wipes both. */
export type QuorumKeys = { encrypt: Buffer; sign: Buffer };

/** Derives the keys. Undefined for the few seeds of which one key is no number below the order of the curve. */
export function quorumKeys(seed: Uint8Array): QuorumKeys | undefined {
  const derive = (path: string) => Buffer.from(hkdfSync('sha512', seed, Buffer.from(path), Buffer.alloc(0), 32));
  const keys = { encrypt: derive('qos_p256_encrypt'), sign: derive('qos_p256_sign') };
  if (isP256PrivateKey(keys.encrypt) && isP256PrivateKey(keys.sign)) return keys;
  wipeQuorumKeys(keys);
  return undefined;
}

export function wipeQuorumKeys({ encrypt, sign }: QuorumKeys): void {
  zero(encrypt);
  zero(sign);
}

/** The whole public key, 130 bytes. */
export const quorumPublicKey = ({ encrypt, sign }: QuorumKeys): Buffer =>
  Buffer.concat([encrypt, sign].map((key) => p256Convert(p256PublicKey(key), 'uncompressed')!));

/** The halves of a whole public key, 65 bytes each. Undefined if it is not two points of P-256, uncompressed. */
export function quorumPublicHalves(publicKey: Uint8Array): { encrypt: Buffer; sign: Buffer } | undefined {
  if (publicKey.length !== QUORUM_PUBLIC_KEY) return undefined;
  const half = (from: number) => p256Convert(publicKey.subarray(from, from + QUORUM_PUBLIC_KEY / 2), 'uncompressed');
  const [encrypt, sign] = [half(0), half(QUORUM_PUBLIC_KEY / 2)];
  return encrypt && sign && { encrypt, sign };
}
