import { fromHex, utf8 } from '../../base/bytes.ts';
import { type ApiError, invalid } from '../../base/errors.ts';
import type { Curve } from '../../crypto/curve-type.ts';
import { keccak256, sha256 } from '../../crypto/hash.ts';
import type { ToSign } from '../../crypto/signing-types.ts';
import { eip712Digest, type HashBudget } from '../ethereum/eip712.ts';
import { eip7702Digest } from '../ethereum/eip7702.ts';

/** `encoding` and `hashFunction` are unchecked text: unknown values are refused. */
export type PayloadInput = {
  payload: string;
  encoding: string;
  hashFunction: string;
  curve: Curve;
  /** How the key signs, if not as its curve says. */
  scheme?: string;
  /** The payload's place in the request, for errors. Default: `parameters.payload`. */
  field?: string;
  /** Shared by the payloads of one request. */
  budget?: HashBudget;
};

type Refuse = (why: string) => ApiError;

const badHash: Refuse = (why) => invalid('parameters.hashFunction', `invalid hash function: ${why}`);
const badEncoding: Refuse = (why) => invalid('parameters.encoding', `invalid payload encoding: ${why}`);

/** Encodings that give bytes. */
const decoders = new Map<string, (payload: string, refuse: Refuse) => Uint8Array>([
  [
    'PAYLOAD_ENCODING_HEXADECIMAL',
    (payload, refuse) => {
      const bytes = fromHex(payload.startsWith('0x') ? payload.slice(2) : payload);
      if (bytes === undefined) throw refuse('must be hex with an even number of digits, with or without 0x');
      return bytes;
    },
  ],
  [
    'PAYLOAD_ENCODING_TEXT_UTF8',
    (payload, refuse) => {
      if (!payload.isWellFormed()) throw refuse('holds a lone surrogate, which has no UTF-8');
      return utf8(payload);
    },
  ],
]);

/** Encodings whose bytes policies cannot read: they may be the digest of anything. */
export const unreadEncodings: readonly string[] = [...decoders.keys()];

export const TYPED_DATA = 'PAYLOAD_ENCODING_EIP712';

/** Encodings with their own digest rule, for keys on secp256k1. */
const digesters = new Map<string, (payload: string, refuse: Refuse, budget?: HashBudget) => Uint8Array>([
  [TYPED_DATA, eip712Digest],
  ['PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', (payload, refuse) => eip7702Digest(payload, refuse)],
]);

/** Digests by hash function. */
const hashes = new Map<string, (bytes: Uint8Array, refuse: Refuse) => Uint8Array>([
  ['HASH_FUNCTION_SHA256', sha256],
  ['HASH_FUNCTION_KECCAK256', keccak256],
  [
    'HASH_FUNCTION_NO_OP',
    (bytes, refuse) => {
      if (bytes.length !== 32) throw refuse(`with HASH_FUNCTION_NO_OP it is the digest itself: 32 bytes, not ${bytes.length}`);
      return bytes;
    },
  ],
]);

/** The bytes that a key on `curve` signs for a payload. Throws REQUEST_INVALID, naming the wrong field. */
export function payloadToSign({
  payload,
  encoding,
  hashFunction,
  curve,
  scheme = 'ecdsa',
  field = 'parameters.payload',
  budget,
}: PayloadInput): ToSign {
  const refuse: Refuse = (why) => invalid(field, why);
  const digester = digesters.get(encoding);
  if (digester) {
    if (curve !== 'CURVE_SECP256K1') throw badEncoding(`${encoding} is for keys on CURVE_SECP256K1, but this key is on ${curve}`);
    if (scheme !== 'ecdsa')
      throw badEncoding(`${encoding} is for ECDSA, but the address that names this key is for ${scheme} signatures`);
    if (hashFunction !== 'HASH_FUNCTION_NO_OP') throw badHash(`${encoding} is hashed by its own rule: send HASH_FUNCTION_NO_OP`);
    return { digest: digester(payload, refuse, budget) };
  }
  const decode = decoders.get(encoding);
  if (!decode) throw badEncoding(`send ${[...decoders.keys(), ...digesters.keys()].join(', ')}`);
  if (curve === 'CURVE_ED25519') {
    if (hashFunction !== 'HASH_FUNCTION_NOT_APPLICABLE') {
      throw badHash('Ed25519 signs the message itself: send HASH_FUNCTION_NOT_APPLICABLE');
    }
    return { message: decode(payload, refuse) };
  }
  const hash = hashes.get(hashFunction);
  if (!hash) throw badHash(`a key on ${curve} signs a digest: send ${[...hashes.keys()].join(', ')}`);
  return { digest: hash(decode(payload, refuse), refuse) };
}
