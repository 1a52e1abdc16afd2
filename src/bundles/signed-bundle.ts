import { p256 } from '@noble/curves/nist.js';
import { fromHex, toHex, utf8 } from '../base/bytes.ts';
import { isObject, parseJson } from '../base/json.ts';
import { BundleError } from './bundle-error.ts';
import { TAG } from './hpke-schedule.ts';

const VERSION = 'v1.0.0';
/** In UTF-16 units. The data is hex of a JSON text that has hex of at most 16 KiB itself. */
const LONGEST = 128 * 1024;
const FIELDS = 8;

/**
 * Version 1.0.0 of the envelope that clients verify. `data` is the hex of a JSON text; `dataSignature` covers the bytes of that text, not
 * its hex. All hex is lower case, because clients compare `enclaveQuorumPublic` as text. `signer`: 65 bytes. `sign`: ECDSA on P-256 over
 * SHA-256, in DER.
 */
export function signedBundle(
  inner: Readonly<Record<string, string>>,
  sign: (bytes: Uint8Array) => Uint8Array,
  signer: Uint8Array,
): string {
  const data = utf8(JSON.stringify(inner));
  return JSON.stringify({
    version: VERSION,
    data: toHex(data),
    dataSignature: toHex(sign(data)),
    enclaveQuorumPublic: toHex(signer),
  });
}

function textsOf(bytes: Uint8Array, is: string): Readonly<Record<string, string>> {
  const parsed = parseJson(bytes, { depth: 1, keys: FIELDS });
  if ('error' in parsed || !isObject(parsed.value)) throw new BundleError(`${is} not a JSON object of a few texts`);
  const entries = Object.entries(parsed.value);
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    throw new BundleError(`${is} not of texts alone`);
  return Object.fromEntries(entries);
}

function hexOf(fields: Readonly<Record<string, string>>, name: string): Uint8Array {
  const bytes = fromHex(fields[name] ?? '');
  if (bytes === undefined || bytes.length === 0) throw new BundleError(`has no hex in ${name}`);
  return bytes;
}

function isSigned(data: Uint8Array, signature: Uint8Array, signer: string): boolean {
  try {
    return p256.verify(signature, data, fromHex(signer)!, { format: 'der', lowS: false });
  } catch {
    return false;
  }
}

/** What one of `signers` signed: their public keys, 65 bytes in hex of lower case. */
function signedFields(text: string, signers: readonly string[]): Readonly<Record<string, string>> {
  if (text.length > LONGEST) throw new BundleError(`is longer than ${LONGEST} characters`);
  const outer = textsOf(utf8(text), 'is');
  if (outer.version !== VERSION) throw new BundleError(`has another version than ${VERSION}`);
  const signer = signers.find((known) => known === outer.enclaveQuorumPublic);
  if (signer === undefined) throw new BundleError('is signed by another key than that of this service');
  const data = hexOf(outer, 'data');
  if (!isSigned(data, hexOf(outer, 'dataSignature'), signer)) throw new BundleError('has a wrong signature');
  return textsOf(data, 'has data that is');
}

/** The message in an export bundle. Throws BundleError unless one of `signers` signed it for the organization. */
export function readExportBundle(
  text: string,
  signers: readonly string[],
  organizationId: string,
): { enc: Uint8Array; ciphertext: Uint8Array } {
  const fields = signedFields(text, signers);
  if (fields.organizationId !== organizationId) throw new BundleError('is for another organization');
  const [enc, ciphertext] = [hexOf(fields, 'encappedPublic'), hexOf(fields, 'ciphertext')];
  if (enc.length !== 65 || ciphertext.length < TAG) throw new BundleError('has no key of 65 bytes and ciphertext');
  return { enc, ciphertext };
}

/** The key, 65 bytes, to which an import is sealed. Throws BundleError unless one of `signers` signed it for the user. */
export function readImportBundle(
  text: string,
  signers: readonly string[],
  { organizationId, userId }: { organizationId: string; userId: string },
): Uint8Array {
  const fields = signedFields(text, signers);
  if (fields.organizationId !== organizationId) throw new BundleError('is for another organization');
  if (fields.userId !== userId) throw new BundleError('is for another user');
  const target = hexOf(fields, 'targetPublic');
  if (target.length !== 65) throw new BundleError('has no key of 65 bytes');
  return target;
}
