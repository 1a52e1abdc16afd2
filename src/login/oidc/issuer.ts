import type { createLocalJWKSet, JSONWebKeySet, JWK } from 'jose';
import type { FetchDocument, OnBehalf } from '../../outbound/types.ts';
import { OutboundError } from '../../outbound/types.ts';

/** Finds the key of a token. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

export type IssuerKeys = { find: KeySet; bytes: number };

const MOST_KEYS = 100;

/**
 * The most characters of each member that is used. For RSA, 8192 bits and 48; larger ones cost time. Other members are not
 * kept.
 */
const LONGEST = { kty: 8, kid: 1024, use: 8, alg: 16, crv: 16, x: 96, y: 96, n: 1366, e: 8 };

/** For both documents. */
const MILLISECONDS = 5000;

const unusable = (why: string) => new OutboundError(why, { mayPass: false });

/** Checks the requirements of discovery on an issuer's name (OpenID Connect Discovery 1.0, section 4). */
function discoveryUrl(issuer: string): string {
  const url = URL.parse(issuer);
  if (url === null || /[?#]/.test(issuer)) throw unusable('its iss must be a URL without a query');
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

function objectOf(document: Buffer, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(document.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw unusable(`${what} is not a JSON object`);
}

/** The used members of a key that may verify signatures; undefined for other keys. */
function usable(key: unknown): JWK | undefined {
  if (typeof key !== 'object' || key === null) return undefined;
  const { key_ops, ...given } = key as Record<string, unknown>;
  const members = Object.entries(LONGEST).filter(([name]) => given[name] !== undefined);
  if (!members.every(([name, longest]) => typeof given[name] === 'string' && given[name].length <= longest)) return undefined;
  if (!['RSA', 'EC', 'OKP'].includes(given.kty as string) || given.use === 'enc') return undefined;
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify'))) return undefined;
  return Object.fromEntries(members.map(([name]) => [name, given[name]])) as JWK;
}

function keysOf(document: Buffer): JSONWebKeySet {
  const { keys } = objectOf(document, 'its key set');
  if (!Array.isArray(keys)) throw unusable('its key set has no list of keys');
  return { keys: keys.slice(0, MOST_KEYS).flatMap((key) => usable(key) ?? []) };
}

/** An issuer's current keys, by discovery. Throws OutboundError. */
export async function fetchKeys(fetchDocument: FetchDocument, issuer: string, payer: string): Promise<IssuerKeys> {
  const onBehalf: OnBehalf = { payer, signal: AbortSignal.timeout(MILLISECONDS) };
  const configuration = objectOf(await fetchDocument(discoveryUrl(issuer), onBehalf), 'its discovery document');
  if (configuration.issuer !== issuer) throw unusable('its discovery document names another issuer');
  if (typeof configuration.jwks_uri !== 'string') throw unusable('its discovery document has no jwks_uri');
  const document = await fetchDocument(configuration.jwks_uri, onBehalf);
  const { createLocalJWKSet } = await import('jose');
  return { find: createLocalJWKSet(keysOf(document)), bytes: document.length };
}
