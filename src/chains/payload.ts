import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { invalid } from '../base/errors.ts';
import { fromHex } from '../base/bytes.ts';
import type { Curve } from '../crypto/curves.ts';
import { eip712Digest } from './ethereum/eip712.ts';
import { eip7702Digest } from './ethereum/eip7702.ts';

export type PayloadInput = { payload: string; encoding: string; hashFunction: string; curve: Curve };

const badPayload = (why: string) => invalid('parameters.payload', why);
const badHash = (why: string) => invalid('parameters.hashFunction', `invalid hash function: ${why}`);
const badEncoding = (why: string) => invalid('parameters.encoding', `invalid payload encoding: ${why}`);

function decoded(payload: string, encoding: string): Buffer {
  if (encoding === 'PAYLOAD_ENCODING_TEXT_UTF8') return Buffer.from(payload, 'utf8');
  const bytes = fromHex(payload.startsWith('0x') ? payload.slice(2) : payload);
  if (bytes === undefined) throw badPayload('must be hex with an even number of digits, with or without 0x');
  return bytes;
}

/** Encodings that are hashed by their own rule. */
const STRUCTURED: Record<string, (payload: string) => Buffer> = {
  PAYLOAD_ENCODING_EIP712: (payload) => eip712Digest(payload, badPayload),
  PAYLOAD_ENCODING_EIP7702_AUTHORIZATION: (payload) => eip7702Digest(payload, badPayload),
};

/** What is signed: a digest for ECDSA and Schnorr, the message itself for Ed25519 (platform facts §9, §18). Throws REQUEST_INVALID. */
export function payloadToSign({ payload, encoding, hashFunction, curve }: PayloadInput): { digest: Buffer } | { message: Buffer } {
  const structured = STRUCTURED[encoding];
  if (curve === 'CURVE_ED25519') {
    if (structured) throw badEncoding(`${encoding} is for secp256k1 keys, and this key is on CURVE_ED25519`);
    if (hashFunction !== 'HASH_FUNCTION_NOT_APPLICABLE') throw badHash('Ed25519 signs the message itself: send HASH_FUNCTION_NOT_APPLICABLE');
    return { message: decoded(payload, encoding) };
  }
  if (structured) {
    if (curve !== 'CURVE_SECP256K1') throw badEncoding(`${encoding} is for secp256k1 keys, and this key is on ${curve}`);
    if (hashFunction !== 'HASH_FUNCTION_NO_OP') throw badHash(`${encoding} is hashed by its own rule: send HASH_FUNCTION_NO_OP`);
    return { digest: structured(payload) };
  }
  const bytes = decoded(payload, encoding);
  switch (hashFunction) {
    case 'HASH_FUNCTION_SHA256':
      return { digest: createHash('sha256').update(bytes).digest() };
    case 'HASH_FUNCTION_KECCAK256':
      return { digest: Buffer.from(keccak_256(bytes)) };
    case 'HASH_FUNCTION_NO_OP':
      if (bytes.length !== 32) throw badPayload(`with HASH_FUNCTION_NO_OP it is the digest itself and must have 32 bytes, not ${bytes.length}`);
      return { digest: bytes };
    default:
      throw badHash(`${curve} signs a digest: send HASH_FUNCTION_SHA256, HASH_FUNCTION_KECCAK256 or HASH_FUNCTION_NO_OP`);
  }
}
