import { createHash, timingSafeEqual } from 'node:crypto';
import type { CryptoKey, JWTPayload } from 'jose';
import type { Clock } from '../../base/clock.ts';
import { Unreachable } from '../../base/errors.ts';
import type { OidcPort, OidcQuestion, OidcToken, VerifiedToken } from '../../engine/ports.ts';
import { type FetchDocument, OutboundError } from '../../outbound/types.ts';
import type { OwnIssuer } from '../tokens/own-issuer.ts';
import type { IssuerKeys } from './issuer.ts';
import { type KeyCache, keyCache } from './key-cache.ts';
import { ALGORITHMS, badToken, claimed, identityOf } from './token.ts';

/** Loaded when the first token comes. */
const jose = () => import('jose');
type Jose = Awaited<ReturnType<typeof jose>>;

/** How far clocks may differ. */
const SKEW_SECONDS = 60;

/**
 * How many keys are tried if a token does not name the one that signed it. `one`: for the token; `all`: for all tokens of one
 * call.
 */
const MOST_TRIED = { one: 8, all: 64 };

const UNKNOWN_KEY = 'ERR_JWKS_NO_MATCHING_KEY';

const EXPIRED = 'it has expired: sign in again for a new one';

/** The text about a token for each error of the library. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: EXPIRED,
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature does not match the keys of its issuer',
  [UNKNOWN_KEY]: 'its issuer has no key with its kid and alg',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'it names no kid, and its issuer has several keys',
};

function reasonOf(error: unknown): string {
  const { code = '', claim, reason } = error as { code?: string; claim?: string; reason?: string };
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED' && claim === 'nbf' && reason === 'check_failed') return 'it is not valid yet';
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') return `its ${claim} is ${reason === 'missing' ? 'missing' : 'not acceptable'}`;
  return REASONS[code] ?? 'it cannot be verified';
}

/** How many keys may still be tried. */
type Tries = { left: number };

type Verify = (key: CryptoKey | IssuerKeys['find']) => Promise<JWTPayload>;

/** By the only key that fits its header, or by each of a few. */
async function byKeys(
  { errors }: Jose,
  keys: IssuerKeys,
  { verify, tries }: { verify: Verify; tries: Tries },
): Promise<JWTPayload> {
  try {
    return await verify(keys.find);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      if (++tried > MOST_TRIED.one) break;
      if (tries.left-- <= 0) throw error;
      try {
        return await verify(key);
      } catch (failed) {
        if (!(failed instanceof errors.JWSSignatureVerificationFailed)) throw failed;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function isBound({ nonce, tknonce }: JWTPayload, publicKey: string): boolean {
  const expected = Buffer.from(createHash('sha256').update(publicKey, 'utf8').digest('hex'));
  return [nonce, tknonce].some((given) => {
    const bytes = typeof given === 'string' ? Buffer.from(given) : Buffer.alloc(0);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
}

function checkRest(payload: JWTPayload, field: string, { now, boundTo }: Omit<OidcQuestion, 'payer'>): void {
  if (payload.iat !== undefined && payload.iat > now / 1000 + SKEW_SECONDS) throw badToken(field, 'it is not valid yet');
  if (boundTo !== undefined && !isBound(payload, boundTo))
    throw badToken(field, 'its nonce must be the SHA-256 of the public key’s text, in lower-case hex');
}

/** Rejects when the signal does. */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new OutboundError('it did not answer in time', { mayPass: true }));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  // Also if both are settled: with cached keys, no caller verifies beyond the time limit.
  return Promise.race([stopped, work]);
}

type Asked = OidcQuestion & { signal: AbortSignal; tries: Tries };

async function verified(cache: KeyCache, jwt: string, issuer: string, { now, payer, signal, tries }: Asked): Promise<JWTPayload> {
  const library = await jose();
  const options = {
    algorithms: ALGORITHMS,
    issuer,
    clockTolerance: SKEW_SECONDS,
    currentDate: new Date(now),
    requiredClaims: ['sub', 'aud', 'exp'],
  };
  const verify: Verify = async (key) => (await library.jwtVerify(jwt, key as CryptoKey, options)).payload;
  const keys = await until(signal, cache.keys(issuer, payer));
  try {
    return await byKeys(library, keys, { verify, tries });
  } catch (error) {
    if ((error as { code?: string }).code !== UNKNOWN_KEY) throw error;
    const newer = await until(signal, cache.newer(keys, issuer, payer));
    if (newer === undefined) throw error;
    return byKeys(library, newer, { verify, tries });
  }
}

/** The same, but the service does not ask itself for its keys. */
function withOwn(cache: KeyCache, own: OwnIssuer | undefined): KeyCache {
  if (own === undefined) return cache;
  let keys: Promise<IssuerKeys> | undefined;
  const ownKeys = async (): Promise<IssuerKeys> => ({ find: (await jose()).createLocalJWKSet(own.keys), bytes: 0 });
  return {
    keys(issuer, payer) {
      if (issuer !== own.url) return cache.keys(issuer, payer);
      keys ??= ownKeys();
      return keys;
    },
    newer: async (than, issuer, payer) => (issuer === own.url ? undefined : cache.newer(than, issuer, payer)),
  };
}

type Options = {
  /** For all tokens of one call. */
  milliseconds?: number;
  /** The service's own tokens are verified by its own keys, without a request. */
  own?: OwnIssuer;
  /** The only issuers beside it; undefined: any. */
  accepted?: readonly string[] | undefined;
};

/** Verifies ID tokens of any issuer with discovery. `clock`: elapsed time. */
export function oidcPort(fetchDocument: FetchDocument, clock: Clock, options: Options = {}): OidcPort {
  const { milliseconds = 10_000, own, accepted } = options;
  const cache = withOwn(keyCache(fetchDocument, clock), own);

  function read(token: string, field: string): ReturnType<typeof claimed> {
    const found = claimed(token, field);
    const { issuer } = found.identity;
    if (accepted !== undefined && issuer !== own?.url && !accepted.includes(issuer))
      throw badToken(field, 'OAUTH disallowed: this service accepts no tokens of its issuer (OIDC_ISSUERS)');
    return found;
  }

  async function verifyOne({ token, field }: OidcToken, asked: Asked): Promise<VerifiedToken> {
    const { jwt, identity } = read(token, field);
    let payload: JWTPayload;
    try {
      payload = await verified(cache, jwt, identity.issuer, asked);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw badToken(field, reasonOf(error));
      if (error.mayPass) throw new Unreachable(`${field}: the keys of the token's issuer cannot be read now: ${error.message}`);
      throw badToken(field, `its issuer's keys cannot be read: ${error.message}`);
    }
    checkRest(payload, field, asked);
    return identityOf(payload, field);
  }

  return {
    claimed({ token, field }, question) {
      const { payload, identity } = read(token, field);
      const { exp } = payload;
      if (typeof exp !== 'number' || exp <= question.now / 1000 - SKEW_SECONDS) throw badToken(field, EXPIRED);
      checkRest(payload, field, question);
      return identity;
    },
    async verify(tokens, question) {
      const asked = { ...question, signal: AbortSignal.timeout(milliseconds), tries: { left: MOST_TRIED.all } };
      const found: VerifiedToken[] = [];
      // One after the other, so that one request takes one place among those that ask other hosts.
      for (const token of tokens) found.push(await verifyOne(token, asked));
      return found;
    },
  };
}
