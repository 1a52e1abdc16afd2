import { isObject } from '../../base/json.ts';
import { fingerprintOf } from '../../engine/request/context.ts';
import { passkeyStamp } from '../../engine/request/passkey-stamp.ts';
import { apiKeyVerifier } from '../../login/stamps/api-key.ts';
import { passkeyVerifier } from '../../login/stamps/passkey.ts';
import type { RecordLine } from './format.ts';

type Vote = RecordLine['activity']['votes'][number];

/** `holds`: the signature is right. `isListed`: its key is among the voter's credentials of that time, in the same line. */
export type StampVerdict = { holds: boolean; isListed: boolean };

const apiKeys = apiKeyVerifier();
const passkeys = passkeyVerifier();
const RP_ID_HASH = 32;
const WRONG: StampVerdict = { holds: false, isListed: false };

function membersOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const byApiKey = async (publicKey: string, scheme: string, signature: string, body: Buffer): Promise<boolean> =>
  apiKeys.verify({ publicKey, scheme, signature }, body, false);

/** Only its user's row has the public key of a passkey. If it is not listed, it cannot be checked. */
function byPasskey({ user, signature }: Vote, body: Buffer): StampVerdict {
  const members = membersOf(signature);
  if (members === undefined) return WRONG;
  try {
    const stamp = passkeyStamp(members);
    const own = user.authenticators.filter(({ credentialId }) => credentialId === stamp.credentialId);
    const rpIdHash = stamp.assertion.authenticatorData.toString('base64url', 0, RP_ID_HASH);
    const holds = own.some(({ credential: { publicKey } }) =>
      passkeys(stamp, { publicKey, rpIdHash }, fingerprintOf(body), undefined),
    );
    return { holds: holds || own.length === 0, isListed: own.length > 0 };
  } catch {
    return WRONG;
  }
}

/** Checks the stamp of a vote over a body, by the code that checks requests. */
export async function verifyStamp(vote: Vote, body: Buffer): Promise<StampVerdict> {
  const { scheme, publicKey, signature, user } = vote;
  if (scheme === 'SIGNATURE_SCHEME_TK_WEBAUTHN') return byPasskey(vote, body);
  if (!scheme.startsWith('SIGNATURE_SCHEME_TK_API_')) {
    // An attested key: the token that vouches for it is not checked.
    const inner = membersOf(signature)?.signature;
    const holds = typeof inner === 'string' && (await byApiKey(publicKey, 'SIGNATURE_SCHEME_TK_API_P256', inner, body));
    return { holds, isListed: false };
  }
  const holds = await byApiKey(publicKey, scheme, signature, body);
  return { holds, isListed: user.apiKeys.some(({ credential }) => credential.publicKey === publicKey) };
}
