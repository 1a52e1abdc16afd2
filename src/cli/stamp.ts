import { createECDH, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { type ApiKeyCurve, parseStampPublicKey, type StampScheme } from '../crypto/stamp.ts';

/** A key pair that stamps: both halves in hex. */
export type StampKeys = { curve: ApiKeyCurve; apiPublicKey: string; apiPrivateKey: string };

const EC = { API_KEY_CURVE_P256: ['prime256v1', 'P-256'], API_KEY_CURVE_SECP256K1: ['secp256k1', 'secp256k1'] } as const;

const SCHEMES: Readonly<Record<ApiKeyCurve, StampScheme>> = {
  API_KEY_CURVE_P256: 'SIGNATURE_SCHEME_TK_API_P256',
  API_KEY_CURVE_SECP256K1: 'SIGNATURE_SCHEME_TK_API_SECP256K1',
  API_KEY_CURVE_ED25519: 'SIGNATURE_SCHEME_TK_API_ED25519',
};

export const CURVES = Object.keys(SCHEMES) as ApiKeyCurve[];

/** PKCS #8 of an Ed25519 seed, up to its 32 bytes (RFC 8410 §7). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Throws if the bytes are no private key of the curve. */
function keyOf(curve: ApiKeyCurve, privateKey: Buffer): { key: KeyObject; publicKey: string } {
  if (privateKey.length !== 32) throw new Error('a private key has 32 bytes');
  if (curve === 'API_KEY_CURVE_ED25519') {
    const key = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, privateKey]), format: 'der', type: 'pkcs8' });
    const { x } = createPublicKey(key).export({ format: 'jwk' }) as JsonWebKey;
    return { key, publicKey: Buffer.from(x!, 'base64url').toString('hex') };
  }
  const [name, crv] = EC[curve];
  const ecdh = createECDH(name);
  ecdh.setPrivateKey(privateKey);
  const point = ecdh.getPublicKey();
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const jwk = { kty: 'EC', crv, x: part(1), y: part(33), d: privateKey.toString('base64url') };
  return { key: createPrivateKey({ format: 'jwk', key: jwk }), publicKey: ecdh.getPublicKey('hex', 'compressed') };
}

export function newStampKeys(curve: ApiKeyCurve, random: (n: number) => Buffer): StampKeys {
  for (;;) {
    const privateKey = random(32);
    try {
      return { curve, apiPublicKey: keyOf(curve, privateKey).publicKey, apiPrivateKey: privateKey.toString('hex') };
    } catch {
      // One draw in 2^32 is not a private key of P-256, and fewer of secp256k1.
    }
  }
}

/** Whether both halves are of one pair. Throws if the private key is not valid on the curve. */
export const isPair = ({ curve, apiPublicKey, apiPrivateKey }: StampKeys): boolean =>
  parseStampPublicKey(curve, apiPublicKey) === keyOf(curve, Buffer.from(apiPrivateKey, 'hex')).publicKey;

/** The X-Stamp header for a body, over its exact bytes. Throws if the private key is not valid on the curve. */
export function stampOf({ curve, apiPublicKey, apiPrivateKey }: StampKeys, body: string): string {
  const { key } = keyOf(curve, Buffer.from(apiPrivateKey, 'hex'));
  const digest = curve === 'API_KEY_CURVE_ED25519' ? null : 'sha256';
  const signature = sign(digest, Buffer.from(body), key).toString('hex');
  return Buffer.from(JSON.stringify({ publicKey: apiPublicKey, scheme: SCHEMES[curve], signature })).toString('base64url');
}
