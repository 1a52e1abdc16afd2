import { fromBase64Url } from '../../base/bytes.ts';
import { ApiError } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import type { ApiKeyStamp, AttestedStamp, PasskeyStamp, StampPort } from '../ports.ts';
import { decodeAttestedStamp } from './attested-stamp.ts';
import { decodePasskeyStamp, LONGEST_PASSKEY_STAMP, passkeyStamp } from './passkey-stamp.ts';

/** The authentication headers, as received, and the address that the request comes from, in canonical form. */
export type Headers = {
  stamp?: string | undefined;
  webauthnStamp?: string | undefined;
  attestedStamp?: string | undefined;
  /** A read-only session, which only queries accept. */
  session?: string | undefined;
  address?: string | undefined;
};

/** The session of a request without a stamp: a stamp takes precedence. */
export const sessionOf = ({ stamp, webauthnStamp, attestedStamp, session }: Headers): string | undefined =>
  (stamp ?? webauthnStamp ?? attestedStamp) === undefined ? session : undefined;

/** A stamp verified over the raw body. */
export type VerifiedStamp = ApiKeyStamp & { publicKey: string };

/**
 * The verified stamp of an API key or an attested key, whose user is not known yet. Or a passkey's stamp as it was sent,
 * because only its user's row has its key.
 */
export type Stamp = VerifiedStamp | PasskeyStamp | AttestedStamp;

export const isPasskeyStamp = (stamp: Stamp): stamp is PasskeyStamp => 'credentialId' in stamp;

export const isAttestedStamp = (stamp: Stamp): stamp is AttestedStamp => 'attestation' in stamp;

/** A passkey's stamp in base64url. */
const LONGEST = Math.ceil((LONGEST_PASSKEY_STAMP * 4) / 3);
const LIMITS = { depth: 2, keys: 16 };
const NO_STAMP =
  'no valid authentication signature found for request: cannot authenticate public API activity request without a stamp (X-Stamp/X-Stamp-Webauthn header)';

const WRONG_SIGNATURE =
  'could not verify api key signature: a stamp covers the exact bytes of the body. Stamp the text that is sent, with the private key of publicKey';

function malformed(what: string): ApiError {
  return new ApiError('SIGNATURE_INVALID', `malformed activity stamp: could not extract api key stamp: ${what}`);
}

/** base64url JSON of exactly three strings, or of a passkey's stamp; the order of members is free. */
function decodeStamp(header: string): ApiKeyStamp | PasskeyStamp {
  if (header.length > LONGEST) throw malformed('the X-Stamp header is too long');
  const bytes = fromBase64Url(header.trim());
  if (bytes === undefined || bytes.length === 0) throw malformed('the X-Stamp header is not base64url');
  const parsed = parseJson(bytes, LIMITS);
  const value = 'value' in parsed ? parsed.value : undefined;
  if (!isObject(value)) throw malformed('it does not decode to a JSON object');
  const { publicKey, scheme, signature } = value;
  if (publicKey === undefined && value.credentialId !== undefined) return passkeyStamp(value);
  if (typeof publicKey !== 'string' || typeof scheme !== 'string' || typeof signature !== 'string') {
    throw malformed('it must have publicKey, scheme and signature, all strings');
  }
  return { publicKey, scheme, signature };
}

/**
 * A stamp as presented: the public key that it claims, and the result of its verification. The key is '' if it is unreadable,
 * or no API key's.
 */
export type Presented = { claimed: string; verified: Promise<Stamp> };

async function verify<S>(stamps: StampPort, made: S, stamp: ApiKeyStamp, body: Buffer, others: boolean): Promise<S> {
  const verdict = stamps.verify(stamp, body, others);
  if (!(verdict instanceof Promise ? await verdict : verdict)) throw new ApiError('SIGNATURE_INVALID', WRONG_SIGNATURE);
  return made;
}

/** Verifies the key's own signature, before the token that vouches for the key is used. */
function verifyAttested(stamps: StampPort, header: string, body: Buffer, others: boolean): Promise<AttestedStamp> {
  const { stamp, signature } = decodeAttestedStamp(stamps, header);
  return verify(stamps, stamp, { publicKey: stamp.publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature }, body, others);
}

/** From the X-Stamp header. */
function read(stamps: StampPort, header: string): VerifiedStamp | PasskeyStamp {
  const stamp = decodeStamp(header);
  if ('credentialId' in stamp) return stamp;
  const publicKey = stamps.normalize(stamp);
  if (publicKey === undefined) throw malformed('its scheme is unknown, or its public key is not valid for that scheme');
  return { ...stamp, publicKey };
}

function present(stamps: StampPort, headers: Headers, body: Buffer, others: boolean): Presented {
  const { stamp: header, webauthnStamp, attestedStamp } = headers;
  if (header !== undefined) {
    const stamp = read(stamps, header);
    if ('credentialId' in stamp) return { claimed: '', verified: Promise.resolve(stamp) };
    return { claimed: stamp.publicKey, verified: verify(stamps, stamp, stamp, body, others) };
  }
  if (webauthnStamp !== undefined) return { claimed: '', verified: Promise.resolve(decodePasskeyStamp(webauthnStamp)) };
  if (attestedStamp !== undefined) return { claimed: '', verified: verifyAttested(stamps, attestedStamp, body, others) };
  throw new ApiError('SIGNATURE_MISSING', NO_STAMP);
}

/**
 * Verifies the stamp of an API key over the raw bytes, not the owner of the key. Never throws: errors reject `verified`, so
 * that the caller can look up the organization and report its errors first.
 */
export function authenticate(stamps: StampPort, headers: Headers, body: Buffer, others: boolean): Presented {
  let presented: Presented;
  try {
    presented = present(stamps, headers, body, others);
  } catch (error) {
    presented = { claimed: '', verified: Promise.reject(error) };
  }
  // A request that fails earlier never awaits this promise; its rejection must not count as unhandled.
  presented.verified.catch(() => {});
  return presented;
}
