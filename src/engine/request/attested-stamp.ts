import { hash } from 'node:crypto';
import { fromBase64Url } from '../../base/bytes.ts';
import { ApiError } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { ATTESTED_SCHEME } from '../../model/attested.ts';
import type { AttestedStamp, StampPort } from '../ports.ts';

/** ID tokens with many claims have some kilobytes. All headers of a request together have at most 16 KiB. */
const LONGEST = 12_288;
const LIMITS = { depth: 2, keys: 16 };

const ATTESTATIONS = {
  STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN: 'verification-token',
  STAMP_ATTESTED_SCHEME_P256_OIDC: 'oidc',
} as const;

type Scheme = keyof typeof ATTESTATIONS;

function malformed(what: string): ApiError {
  return new ApiError('SIGNATURE_INVALID', `malformed activity stamp: could not extract attested stamp: ${what}`);
}

/** Existing clients send base64url; the published documents show plain JSON. Each character of a header is one byte. */
function bytesOf(header: string): Uint8Array {
  if (header.length > LONGEST) throw malformed('the X-Stamp-Attested header is too long');
  const text = header.trim();
  const bytes = text.startsWith('{') ? Buffer.from(text, 'latin1') : fromBase64Url(text);
  if (bytes === undefined || bytes.length === 0)
    throw malformed('the X-Stamp-Attested header is neither a JSON object nor base64url of one');
  return bytes;
}

/** The stamp without its token, which is a secret. A reader who has the token can check it against the stamp. */
const recordOf = (stamp: { publicKey: string; scheme: Scheme; signature: string }, token: string): string =>
  JSON.stringify({ publicKeyAttestation: `sha256:${hash('sha256', token, 'hex')}`, ...stamp });

/**
 * From the X-Stamp-Attested header, decoded but not verified. `signature`: the key's own, over the body. Throws
 * SIGNATURE_INVALID.
 */
export function decodeAttestedStamp(stamps: StampPort, header: string): { stamp: AttestedStamp; signature: string } {
  const parsed = parseJson(bytesOf(header), LIMITS);
  const value = 'value' in parsed ? parsed.value : undefined;
  if (!isObject(value)) throw malformed('the X-Stamp-Attested header does not decode to a JSON object');
  const { publicKey: keyText, scheme, signature, publicKeyAttestation: token } = value;
  if (typeof keyText !== 'string' || typeof scheme !== 'string' || typeof signature !== 'string' || typeof token !== 'string')
    throw malformed('it must have publicKey, scheme, signature and publicKeyAttestation, all strings');
  if (!Object.hasOwn(ATTESTATIONS, scheme)) throw malformed(`its scheme must be one of ${Object.keys(ATTESTATIONS).join(', ')}`);
  const publicKey = stamps.normalize({ publicKey: keyText, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature });
  if (publicKey === undefined) throw malformed('its publicKey is no P-256 key in hex');
  const attestation = { by: ATTESTATIONS[scheme as Scheme], token, keyText };
  const record = recordOf({ publicKey, scheme: scheme as Scheme, signature }, token);
  return { stamp: { publicKey, scheme: ATTESTED_SCHEME, signature: record, attestation }, signature };
}
