import { verify } from 'node:crypto';
import { fromHex, toHex } from '../base/bytes.ts';
import { parseEcdsaSignature } from './der.ts';
import { ed25519 } from './ed25519.ts';
import { keccak256, sha256 } from './hash.ts';
import { p256Convert, p256VerifyKey } from './p256.ts';
import { secp256k1 } from './secp256k1.ts';

/** The schemes of an `X-Stamp`: the curve, and the signed data. */
export type StampScheme =
  /** ECDSA on P-256 over SHA-256 of the body. */
  | 'SIGNATURE_SCHEME_TK_API_P256'
  /** ECDSA on secp256k1 over SHA-256 of the body. */
  | 'SIGNATURE_SCHEME_TK_API_SECP256K1'
  /** PureEdDSA over the body itself. */
  | 'SIGNATURE_SCHEME_TK_API_ED25519'
  /** ECDSA on secp256k1 over the ERC-191 "personal_sign" digest of the body. */
  | 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191';

export type ApiKeyCurve = 'API_KEY_CURVE_P256' | 'API_KEY_CURVE_SECP256K1' | 'API_KEY_CURVE_ED25519';

const CURVES = new Map<string, ApiKeyCurve>([
  ['p256', 'API_KEY_CURVE_P256'],
  ['secp256k1', 'API_KEY_CURVE_SECP256K1'],
  ['ed25519', 'API_KEY_CURVE_ED25519'],
]);

/** The curve by the name that people type. */
export const apiKeyCurve = (name: string): ApiKeyCurve | undefined => CURVES.get(name);

/** A public key prepared to verify stamps of one scheme. Worth caching: preparing it costs as much as a verification. */
export type StampKey = {
  readonly scheme: StampScheme;
  /** May throw on malformed input, unlike verifyStamp. */
  readonly verify: (body: Buffer, signature: Buffer) => boolean;
  /** The same on the thread pool, if OpenSSL verifies. Calls back once. May throw, as `verify` may. */
  readonly verifyInPool?: (body: Buffer, signature: Buffer, done: (valid: boolean) => void) => void;
};

type Verifier = Omit<StampKey, 'scheme'>;

/** ERC-191 version 0x45: the length is the body's in bytes, in decimal. */
function personalSignDigest(body: Buffer): Uint8Array {
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`), body]));
}

function p256(point: Buffer): Verifier | undefined {
  const key = p256VerifyKey(point);
  return (
    key && {
      verify(body, signature) {
        const parsed = parseEcdsaSignature(signature);
        return parsed !== undefined && verify('sha256', body, key, parsed.der);
      },
      verifyInPool(body, signature, done) {
        const parsed = parseEcdsaSignature(signature);
        if (parsed === undefined) done(false);
        else verify('sha256', body, key, parsed.der, (error, valid) => done(!error && valid));
      },
    }
  );
}

function onSecp256k1(digest: (body: Buffer) => Uint8Array): (point: Buffer) => Verifier | undefined {
  return (point) => {
    // Uncompressed, so that verification need not recompute Y.
    const key = point.length === 33 ? secp256k1.convert(point, false) : undefined;
    return (
      key && {
        verify(body, signature) {
          const parsed = parseEcdsaSignature(signature);
          return parsed !== undefined && secp256k1.verify(parsed.compact, digest(body), key);
        },
      }
    );
  };
}

function onEd25519(point: Buffer): Verifier | undefined {
  if (!ed25519.isPublicKey(point)) return undefined;
  const check = ed25519.verifier(Buffer.from(point));
  return { verify: (body, signature) => check(signature, body) };
}

const schemes: Readonly<Record<StampScheme, (point: Buffer) => Verifier | undefined>> = {
  SIGNATURE_SCHEME_TK_API_P256: p256,
  SIGNATURE_SCHEME_TK_API_SECP256K1: onSecp256k1(sha256),
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: onSecp256k1(personalSignDigest),
  SIGNATURE_SCHEME_TK_API_ED25519: onEd25519,
};

/**
 * Undefined if the bytes are not a public key of the scheme's curve. `publicKey`: 33 bytes, compressed; 32 bytes for Ed25519.
 * Never throws.
 */
export function importStampKey(scheme: StampScheme, publicKey: Buffer): StampKey | undefined {
  const verifier = Object.hasOwn(schemes, scheme) ? schemes[scheme](publicKey) : undefined;
  return verifier && { scheme, ...verifier };
}

/**
 * The stored form of a public key: lower-case hex of 33 bytes, compressed, or of 32 bytes for Ed25519. Accepts either
 * case, and uncompressed points. Undefined if the text is not a public key of the curve. Never throws.
 */
export function parseStampPublicKey(curve: ApiKeyCurve, text: string): string | undefined {
  const bytes = text.length <= 130 ? fromHex(text) : undefined;
  if (bytes === undefined) return undefined;
  switch (curve) {
    case 'API_KEY_CURVE_P256':
      return p256Convert(bytes, 'compressed')?.toString('hex');
    case 'API_KEY_CURVE_SECP256K1': {
      const isForm = bytes.length === 33 || (bytes.length === 65 && bytes[0] === 0x04);
      const point = isForm ? secp256k1.convert(bytes, true) : undefined;
      return point && Buffer.from(point).toString('hex');
    }
    case 'API_KEY_CURVE_ED25519':
      return ed25519.isPublicKey(bytes) ? toHex(bytes) : undefined;
    default:
      return undefined;
  }
}

/**
 * Verifies a stamp over the raw body. ECDSA signatures are in DER, Ed25519 signatures 64 raw bytes r ‖ s. High S and
 * non-minimal integers are accepted: genuine stamps have both. Never throws.
 */
export function verifyStamp(key: StampKey, body: Buffer, signature: Buffer): boolean {
  try {
    return key.verify(body, signature);
  } catch {
    return false;
  }
}
