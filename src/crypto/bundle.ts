import { fromHex, toHex } from '../base/bytes.ts';
import { isObject, parseJson } from '../base/json.ts';
import type { Random } from '../base/random.ts';
import { BundleError } from '../bundles/bundle-error.ts';
import { credentialBundle, readCredentialBundle } from '../bundles/credential-bundle.ts';
import { TAG } from '../bundles/hpke-schedule.ts';
import { signedBundle } from '../bundles/signed-bundle.ts';
import { asBuffer } from './buffers.ts';
import { HpkeError, hpkeOpen, hpkeSeal } from './hpke.ts';
import { p256Convert, p256PublicKey } from './p256.ts';
import { bytesOfKey, type KeyBytes } from './plain-key.ts';

export { BundleError } from '../bundles/bundle-error.ts';

/** The signer of a bundle. */
export type BundleSigner = {
  /** ECDSA on P-256 over SHA-256 of the bytes, in strict DER: at most 72 bytes, so lengths take one byte. */
  sign: (bytes: Buffer) => Uint8Array;
  /** The public key for `sign`: 33 or 65 bytes. */
  signerPublicKey: Uint8Array;
};

/** The maximum length of a client's bundle, in UTF-16 units: room for 16 KiB of plaintext. */
const LONGEST = 33 * 1024;
const FIELDS = ['encappedPublic', 'ciphertext'] as const;

function uncompressed(point: Uint8Array, what: string): Buffer {
  const key = p256Convert(point, 'uncompressed');
  if (key === undefined) throw new BundleError(`${what} is not a P-256 public key`);
  return key;
}

const envelope = (inner: Readonly<Record<string, string>>, { sign, signerPublicKey }: BundleSigner): string =>
  signedBundle(inner, (bytes) => sign(asBuffer(bytes)), uncompressed(signerPublicKey, 'the signer'));

/**
 * The `exportBundle` of an export: the plaintext sealed to the client's key (33 or 65 bytes), in a signed envelope.
 * The caller wipes the plaintext. Throws BundleError if the target is not a P-256 public key.
 */
export function sealExportBundle(
  args: BundleSigner & { plaintext: Uint8Array; targetPublicKey: Uint8Array; organizationId: string; random: Random },
): string {
  const { enc, ciphertext } = hpkeSeal(uncompressed(args.targetPublicKey, 'the target'), args.plaintext, args.random);
  const { organizationId } = args;
  return envelope({ encappedPublic: toHex(enc), ciphertext: toHex(ciphertext), organizationId }, args);
}

/**
 * A one-time key (33 or 65 bytes) to which the client seals a key, a code or another secret. `userId`: only this user may bring it.
 * Throws BundleError if the key is not a P-256 public key.
 */
export function targetBundle(
  args: BundleSigner & { targetPublic: Uint8Array; organizationId: string; userId?: string | undefined },
): string {
  const { organizationId, userId } = args;
  // Always uncompressed: clients copy the bytes into the additional data.
  const targetPublic = toHex(uncompressed(args.targetPublic, 'the target'));
  return envelope({ targetPublic, organizationId, ...(userId === undefined ? {} : { userId }) }, args);
}

/**
 * The `credentialBundle` of a fresh API key: the private key sealed to the client's key (33 or 65 bytes). Compressed ephemeral key ‖
 * ciphertext, in base58 with a checksum and without a version byte. The caller wipes the private key. Throws BundleError if the
 * target is not a P-256 public key.
 */
export function sealCredentialBundle(targetPublicKey: Uint8Array, privateKey: KeyBytes, random: Random): string {
  const { enc, ciphertext } = hpkeSeal(uncompressed(targetPublicKey, 'the target'), bytesOfKey(privateKey), random);
  return credentialBundle(p256Convert(enc, 'compressed')!, ciphertext);
}

/**
 * The secret that a client sealed to a key of the service, in the form of a credential bundle. The caller wipes the result. Throws
 * BundleError.
 */
export function openBase58Bundle(text: string, privateKey: KeyBytes): Buffer {
  const { compressed, ciphertext } = readCredentialBundle(text);
  const enc = p256Convert(compressed, 'uncompressed');
  if (enc === undefined) throw new BundleError('has no P-256 public key and ciphertext');
  try {
    return hpkeOpen(bytesOfKey(privateKey), enc, ciphertext);
  } catch (error) {
    if (error instanceof HpkeError) throw new BundleError('cannot be decrypted: it is not sealed to the key of this service');
    throw error;
  }
}

function fieldsOf(text: string): Record<(typeof FIELDS)[number], string> {
  if (text.length > LONGEST) throw new BundleError(`is longer than ${LONGEST} characters`);
  const parsed = parseJson(Buffer.from(text), { depth: 1, keys: FIELDS.length });
  // One of the parser's reasons quotes a key of the text.
  if ('error' in parsed) throw new BundleError(parsed.error.startsWith('duplicate') ? 'names a field twice' : parsed.error);
  const { value } = parsed;
  if (!isObject(value)) throw new BundleError('is not a JSON object');
  const { encappedPublic, ciphertext, ...others } = value;
  if (Object.keys(others).length > 0) throw new BundleError(`has fields other than ${FIELDS.join(' and ')}`);
  if (typeof encappedPublic !== 'string') throw new BundleError('encappedPublic is not a string');
  if (typeof ciphertext !== 'string') throw new BundleError('ciphertext is not a string');
  return { encappedPublic, ciphertext };
}

/**
 * Reads a bundle that a client sealed to the service's key. It is JSON with `encappedPublic` (hex of 65 or 33 bytes) and
 * `ciphertext` (hex). Throws BundleError if it is malformed.
 */
export function readEncryptedBundle(text: string): { enc: Uint8Array; ciphertext: Uint8Array } {
  const fields = fieldsOf(text);
  const enc = fromHex(fields.encappedPublic);
  if (enc === undefined || p256Convert(enc, 'compressed') === undefined) {
    throw new BundleError('encappedPublic is not a P-256 public key in hex');
  }
  const ciphertext = fromHex(fields.ciphertext);
  if (ciphertext === undefined || ciphertext.length < TAG) throw new BundleError('ciphertext is not hex of at least 16 bytes');
  return { enc, ciphertext };
}

/**
 * The secret in such a bundle. The caller wipes the result. Throws BundleError if it is malformed or not sealed to this key. Throws
 * a plain Error if the key pair does not match: that is not the client's fault.
 */
export function openEncryptedBundle(text: string, targetPrivateKey: KeyBytes, targetPublic: Uint8Array): Buffer {
  const key = bytesOfKey(targetPrivateKey);
  if (p256Convert(targetPublic, 'compressed')?.equals(p256PublicKey(key)) !== true) {
    throw new Error('the public key of an import target is not that of its private key');
  }
  const { enc, ciphertext } = readEncryptedBundle(text);
  try {
    return hpkeOpen(key, enc, ciphertext);
  } catch (error) {
    if (error instanceof HpkeError) throw new BundleError('cannot be decrypted: it is not sealed to the key of this import');
    throw error;
  }
}
