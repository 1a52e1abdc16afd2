import type { createLocalJWKSet, JSONWebKeySet, JWK } from 'jose';
import type { FetchDocument, OnBehalf } from '../../outbound/types.ts';
import { OutboundError } from '../../outbound/types.ts';

/** Finds the key of a token. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

export type IssuerKeys = { find: KeySet; bytes: number };

const MOST_KEYS = 100;

/** In base64url: 8192 bits, and 48. Larger ones cost time, and nobody uses them. */
const LONGEST = { n: 1366, e: 8 };

/** For both documents. */
const MILLISECONDS = 5000;

const unusable = (why: string) => new OutboundError(why, { mayPass: false });

/** Checks what discovery needs of an issuer's name (OpenID Connect Discovery 1.0, section 4). */
function discoveryUrl(issuer: string): string {
  const url = URL.parse(issuer);
  if (url === null || /[?#]/.test(issuer)) throw unusable('its iss is no URL without a query');
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

function objectOf(document: Buffer, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(document.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw unusable(`${what} is no JSON object`);
}

const isShort = (value: unknown, longest: number) =>
  value === undefined || (typeof value === 'string' && value.length <= longest);

/** A key that may verify signatures. */
function isUsable(key: unknown): key is JWK {
  if (typeof key !== 'object' || key === null) return false;
  const { kty, use, n, e } = key as Record<string, unknown>;
  return ['RSA', 'EC', 'OKP'].includes(kty as string) && use !== 'enc' && isShort(n, LONGEST.n) && isShort(e, LONGEST.e);
}

function keysOf(document: Buffer): JSONWebKeySet {
  const { keys } = objectOf(document, 'its key set');
  if (!Array.isArray(keys)) throw unusable('its key set has no list of keys');
  return { keys: keys.slice(0, MOST_KEYS).filter(isUsable) };
}

/** An issuer's present keys, by discovery. Throws OutboundError. */
export async function fetchKeys(fetchDocument: FetchDocument, issuer: string, payer: string): Promise<IssuerKeys> {
  const onBehalf: OnBehalf = { payer, signal: AbortSignal.timeout(MILLISECONDS) };
  const configuration = objectOf(await fetchDocument(discoveryUrl(issuer), onBehalf), 'its discovery document');
  if (configuration.issuer !== issuer) throw unusable('its discovery document names another issuer');
  if (typeof configuration.jwks_uri !== 'string') throw unusable('its discovery document has no jwks_uri');
  const document = await fetchDocument(configuration.jwks_uri, onBehalf);
  const { createLocalJWKSet } = await import('jose');
  return { find: createLocalJWKSet(keysOf(document)), bytes: document.length };
}
