import { type CBORType, decodeCBOR, encodeCBOR } from '@levischuck/tiny-cbor';
import { sameBytes } from '../base/bytes.ts';
import { attestationCertificate } from './attestation-certificate.ts';
import { asBuffer } from './buffers.ts';
import { signEs384, verifyEs384 } from './p384.ts';
import { bytesOfKey, type KeyBytes } from './plain-key.ts';

/**
 * Attestation documents in the layout of AWS Nitro: a COSE_Sign1 (RFC 9052 §4.2, without a tag) with ES384. No hardware measured
 * anything, so all PCRs are zero, and a key of the service signs. A verifier of hardware reads the document and refuses it.
 */
export type Attested = {
  /** The name of the part whose key it is. */
  moduleId: string;
  timestampMs: number;
  /** Public keys of the process or app. */
  publicKey: Buffer;
  /** The hash of the manifest that it runs. */
  userData: Buffer;
};

/** Documents have about 3 KB. */
export const LONGEST_DOCUMENT = 8192;

const LONGEST = { moduleId: 128, publicKey: 1024, userData: 512 } as const;

/** The protected header: 1 (algorithm): -35 (ES384). */
const PROTECTED = Uint8Array.of(0xa1, 0x01, 0x38, 0x22);
const NOTHING = new Uint8Array(0);
const SIGNATURE_BYTES = 96;

const PCRS = new Map(Array.from({ length: 32 }, (_, index) => [index, new Uint8Array(48)] as const));

const toBeSigned = (payload: Uint8Array): Uint8Array => encodeCBOR(['Signature1', PROTECTED, NOTHING, payload]);

/** The document in CBOR. `privateKey`: of P-384. */
export function makeAttestation({ moduleId, timestampMs, publicKey, userData }: Attested, privateKey: KeyBytes): Buffer {
  const key = bytesOfKey(privateKey);
  const certificate = attestationCertificate(key);
  const payload = encodeCBOR(
    new Map<string, CBORType>([
      ['module_id', moduleId],
      ['digest', 'SHA384'],
      ['timestamp', timestampMs],
      ['pcrs', PCRS],
      ['certificate', certificate],
      ['cabundle', [certificate]],
      ['public_key', publicKey],
      ['user_data', userData],
      ['nonce', null],
    ]),
  );
  return asBuffer(encodeCBOR([PROTECTED, new Map(), payload, signEs384(toBeSigned(payload), key)]));
}

/** The decoder needs memory that begins with the value. */
function decoded(bytes: Uint8Array): CBORType {
  return decodeCBOR(Uint8Array.from(bytes));
}

/** The payload, if the key signed it. */
function signedPayload(document: Uint8Array, signer: Uint8Array): Uint8Array | undefined {
  const parts = decoded(document);
  if (!Array.isArray(parts) || parts.length !== 4) return undefined;
  const [head, rest, payload, signature] = parts;
  if (!(head instanceof Uint8Array && sameBytes(head, PROTECTED) && rest instanceof Map && rest.size === 0)) return undefined;
  if (!(payload instanceof Uint8Array && signature instanceof Uint8Array)) return undefined;
  const valid = signature.length === SIGNATURE_BYTES && verifyEs384(signature, toBeSigned(payload), signer);
  return valid ? payload : undefined;
}

function read(payload: Uint8Array): Attested | undefined {
  const fields = decoded(payload);
  if (!(fields instanceof Map)) return undefined;
  const [moduleId, timestampMs, publicKey, userData] = ['module_id', 'timestamp', 'public_key', 'user_data'].map((name) =>
    fields.get(name),
  );
  if (typeof moduleId !== 'string' || moduleId.length > LONGEST.moduleId) return undefined;
  if (!(typeof timestampMs === 'number' && Number.isSafeInteger(timestampMs) && timestampMs >= 0)) return undefined;
  if (!(publicKey instanceof Uint8Array && publicKey.length <= LONGEST.publicKey)) return undefined;
  if (!(userData instanceof Uint8Array && userData.length <= LONGEST.userData)) return undefined;
  return { moduleId, timestampMs, publicKey: asBuffer(publicKey), userData: asBuffer(userData) };
}

/**
 * The contents of a document that the key signed: its public half, 97 bytes. Undefined for anything else. The signature is verified
 * before the payload is read. Never throws.
 */
export function openAttestation(document: Uint8Array, signer: Uint8Array): Attested | undefined {
  if (document.length > LONGEST_DOCUMENT) return undefined;
  try {
    const payload = signedPayload(document, signer);
    return payload && read(payload);
  } catch {
    return undefined;
  }
}
