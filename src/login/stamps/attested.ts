import { ApiError } from '../../base/errors.ts';
import type { AttestationPort, AttestedFor, AttestedStamp, OidcPort, TokenPort } from '../../engine/ports.ts';
import { emailKey, parseEmail } from '../../model/contacts.ts';
import type { VerificationToken } from '../../model/token.ts';

/** Its place in a request, for messages. */
const FIELD = 'publicKeyAttestation';

const bad = (why: string) => new ApiError('SIGNATURE_INVALID', `could not verify the attestation of the stamp: ${FIELD}: ${why}`);

/** The contact in the forms under which users may have it. */
function contactOf({ type, contact }: VerificationToken): Pick<AttestedFor & { by: 'email' | 'phone' }, 'by' | 'forms'> {
  if (type !== 'OTP_TYPE_EMAIL') return { by: 'phone', forms: [contact] };
  const email = parseEmail(contact);
  return { by: 'email', forms: email === undefined ? [] : [emailKey(email)] };
}

async function readToken(tokens: TokenPort, { publicKey, attestation }: AttestedStamp, now: number): Promise<AttestedFor> {
  const token = await tokens(attestation.token);
  if (token === undefined) throw bad('is not a verification token of this service');
  // A token that is bound to no key would let in every reader of it.
  if (token.publicKey !== publicKey) throw bad('the token is not bound to the key that made the stamp');
  if (token.expiresAt <= now) throw bad('the token has expired: verify the contact again');
  return { ...contactOf(token), issuedIn: token.organizationId, expiresAt: token.expiresAt, byProxy: token.byProxy === true };
}

/** Reads the tokens that vouch for the keys of attested stamps. */
export function attestations(tokens: TokenPort, oidc: OidcPort): AttestationPort {
  const asked = ({ attestation: { token, keyText } }: AttestedStamp) => ({ token: { token, field: FIELD }, boundTo: keyText });
  return {
    async read(stamp, now) {
      if (stamp.attestation.by === 'verification-token') return readToken(tokens, stamp, now);
      const { token, boundTo } = asked(stamp);
      return { by: 'oidc', identity: oidc.claimed(token, { now, boundTo }) };
    },
    async verify(stamp, question) {
      const { token, boundTo } = asked(stamp);
      const [verified] = await oidc.verify([token], { ...question, boundTo });
      return verified!;
    },
  };
}
