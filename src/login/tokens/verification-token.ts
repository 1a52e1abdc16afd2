import { UUID } from '../../base/ids.ts';
import { encodeEcdsaSignature } from '../../crypto/der.ts';
import { importStampKey, parseStampPublicKey, type StampKey } from '../../crypto/stamp.ts';
import { burstVerifier } from '../../crypto/stamp-bursts.ts';
import type { TokenVault } from '../../custody/types.ts';
import { OTP_TYPES, type VerificationToken } from '../../model/token.ts';
import { type ReadJwt, readJwt, writeJwt } from './jwt.ts';

const SIGNERS = { legacy: 'legacy-token-signer', enclave: 'otp-signer' } as const;

/** The public key of each kind's signer, in hex. */
type Keys = { readonly [S in (typeof SIGNERS)[VerificationToken['kind']]]: { publicKey: string } };

/**
 * The token as a JWT. The claims of each kind are in the order of the published service's, and so is the header. There are two
 * additions. The legacy kind has its organization: without it, no claim would show where the token may be used. The other marks
 * tokens that the auth proxy issued.
 */
export function mintVerificationToken(vault: TokenVault, token: VerificationToken): string {
  const { kind, id, organizationId, type, contact, publicKey, expiresAt, byProxy } = token;
  const sign = (signed: Buffer) => vault.signToken(SIGNERS[kind], signed);
  const about = { id, organization_id: organizationId, verification_type: type };
  const more = byProxy ? { auth_proxy: true } : {};
  if (kind === 'legacy') {
    const bound = publicKey === null ? {} : { public_key: publicKey };
    return writeJwt(
      { alg: 'ES256', typ: 'JWT' },
      { contact, exp: Math.floor(expiresAt / 1000), ...about, ...bound, ...more },
      sign,
    );
  }
  if (publicKey === null) throw new Error('this kind of token is bound to a key');
  return writeJwt(
    { typ: 'JWT', alg: 'ES256' },
    { exp: String(expiresAt), ...about, contact, public_key: publicKey, ...more },
    sign,
  );
}

const TYPES: readonly unknown[] = OTP_TYPES;
/** The stored form of a key, as this service writes it into tokens. Reading such a text as a point would cost a square root. */
const STORED = /^0[23][0-9a-f]{64}$/;

const keyIn = (text: string) => (STORED.test(text) ? text : parseStampPublicKey('API_KEY_CURVE_P256', text));

/** The form of the expiry shows the token's kind: milliseconds in a text, or seconds in a number. */
function tokenIn({ claims }: ReadJwt): VerificationToken | undefined {
  const { exp, id, organization_id, verification_type, contact, public_key, auth_proxy } = claims;
  const kind = typeof exp === 'number' ? 'legacy' : 'enclave';
  const isTime = kind === 'legacy' ? Number.isSafeInteger(exp) : typeof exp === 'string' && /^\d{1,15}$/.test(exp);
  if (!isTime || typeof id !== 'string' || typeof organization_id !== 'string' || typeof contact !== 'string') return undefined;
  if (!UUID.test(id) || !UUID.test(organization_id) || !TYPES.includes(verification_type)) return undefined;
  const publicKey = typeof public_key === 'string' ? keyIn(public_key) : null;
  if (publicKey === undefined || (publicKey === null && (kind === 'enclave' || public_key !== undefined))) return undefined;
  return {
    kind,
    id: id.toLowerCase(),
    organizationId: organization_id.toLowerCase(),
    type: verification_type as VerificationToken['type'],
    contact,
    publicKey,
    expiresAt: kind === 'legacy' ? Number(exp) * 1000 : Number(exp),
    ...(auth_proxy !== undefined && { byProxy: true }),
  };
}

/**
 * Reads tokens of this service. Undefined for a text that it did not sign. The caller judges expiry and scope. Tokens that arrive
 * together are verified on the thread pool.
 */
export function verificationTokens(keys: Keys): (text: string) => Promise<VerificationToken | undefined> {
  const verify = burstVerifier();
  const made: Partial<Record<VerificationToken['kind'], StampKey>> = {};
  const imported = (kind: VerificationToken['kind']): StampKey => {
    const point = parseStampPublicKey('API_KEY_CURVE_P256', keys[SIGNERS[kind]].publicKey)!;
    return importStampKey('SIGNATURE_SCHEME_TK_API_P256', Buffer.from(point, 'hex'))!;
  };
  const keyOf = (kind: VerificationToken['kind']): StampKey => (made[kind] ??= imported(kind));
  return async (text) => {
    const jwt = readJwt(text);
    const token = jwt && tokenIn(jwt);
    if (jwt === undefined || token === undefined) return undefined;
    const isOurs = await verify(keyOf(token.kind), jwt.signed, Buffer.from(encodeEcdsaSignature(jwt.signature)));
    return isOurs ? token : undefined;
  };
}
