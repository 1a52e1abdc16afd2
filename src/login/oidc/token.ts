import type { JWTPayload } from 'jose';
import { ApiError } from '../../base/errors.ts';
import type { VerifiedToken } from '../../engine/ports.ts';
import { LONGEST_CLAIM, type OidcIdentity } from '../../model/oauth-provider.ts';

/** INVALID_OIDC_TOKEN. `why` never holds a part of the token. */
export function badToken(field: string, why: string): ApiError {
  return new ApiError('INVALID_OIDC_TOKEN', `invalid OIDC token: ${field}: ${why}`, {
    violations: [{ field, description: why }],
  });
}

/** Only signatures. `none` is no signature, and the secret of HS256 would be a publicly known key. */
export const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

const GOOGLE = 'https://accounts.google.com';
const LONGEST_EMAIL = 254;

/** An identifying claim: stored, compared, and shown to people. */
const claimOf = (value: unknown, name: keyof typeof LONGEST_CLAIM): string | undefined =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= LONGEST_CLAIM[name] &&
  value.isWellFormed() &&
  !/\p{Cc}/u.test(value)
    ? value
    : undefined;

/** The JWT, also if a client sends it in base64. */
function unwrapped(token: string): string {
  return token.includes('.') ? token : Buffer.from(token, 'base64').toString('latin1');
}

function json(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The checks before any issuer is asked for keys. Nothing of the token is trusted yet. */
export function claimed(token: string, field: string): { jwt: string; identity: OidcIdentity; payload: JWTPayload } {
  const jwt = unwrapped(token);
  const parts = jwt.split('.');
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part)))
    throw badToken(field, 'must be a signed JWT: three parts in base64url');
  const [header, payload] = parts.map(json);
  if (header === undefined || payload === undefined) throw badToken(field, 'its header and its payload must be JSON objects');
  if (!ALGORITHMS.includes(header.alg as string))
    throw badToken(field, `must be signed with another algorithm: one of ${ALGORITHMS.join(', ')} is`);
  // Access tokens (RFC 9068) and logout tokens have a type of their own, and do not prove an identity.
  if (header.typ !== undefined && String(header.typ).toUpperCase() !== 'JWT')
    throw badToken(field, 'is not an ID token: its typ must be JWT');
  const { issuer, audience, subject } = identityOf(payload, field);
  return { jwt, identity: { issuer, audience, subject }, payload };
}

/** If there are several audiences, the one that the token was issued to (OpenID Connect Core 1.0, section 2). */
function audienceOf({ aud, azp }: Record<string, unknown>): unknown {
  if (!Array.isArray(aud)) return aud;
  if (aud.length === 1) return aud[0];
  return aud.includes(azp) ? azp : undefined;
}

export function identityOf(payload: Record<string, unknown>, field: string): VerifiedToken {
  const issuer = claimOf(payload.iss, 'iss');
  const subject = claimOf(payload.sub, 'sub');
  const audience = claimOf(audienceOf(payload), 'aud');
  if (issuer === undefined) throw badToken(field, `its iss must be a text of 1 to ${LONGEST_CLAIM.iss} characters`);
  if (subject === undefined) throw badToken(field, `its sub must be a text of 1 to ${LONGEST_CLAIM.sub} characters`);
  if (audience === undefined)
    throw badToken(field, `its aud must be a text of 1 to ${LONGEST_CLAIM.aud} characters, or a list of which azp names one`);
  return { issuer, subject, audience, verifiedEmail: verifiedEmailOf(payload) };
}

/** Other issuers may declare any address as verified. */
function verifiedEmailOf({ iss, email, email_verified }: Record<string, unknown>): string | undefined {
  const isGood = iss === GOOGLE && email_verified === true && typeof email === 'string' && email.length <= LONGEST_EMAIL;
  return isGood ? email : undefined;
}
