/** Signing in: one stamp over STAMP_LOGIN registers a key made here, which can only read. */
import { fromBase64Url } from '../../../src/base/bytes.ts';
import { bodyOf, resultOf, submit, submitBody } from '../service/activities.ts';
import { query } from '../service/call.ts';
import { byKey, newStampKey, passkeyStamp, type StampKey } from '../service/stamps.ts';
import type { User } from '../service/types.ts';
import { holdKey } from './own-keys.ts';
import { READ_PROFILE, SESSION_SECONDS } from './profiles.ts';
import { begin, forgetSession, type Session, type Way } from './state.ts';
import { organizationOfHandle } from './user-handle.ts';

type Proof = { headers: Record<string, string>; way: Way };

const WAITS = 'the sign-in waits: others must approve it, or a further factor is due';

/** What the token says. It describes the session, and is no credential. */
function claimsOf(token: string): { exp: number; organization_id: string } {
  return JSON.parse(new TextDecoder().decode(fromBase64Url(token.split('.')[1] ?? '')));
}

async function signIn(organizationId: string, prove: (body: string) => Promise<Proof>): Promise<void> {
  const key = await newStampKey();
  const parameters = { publicKey: key.publicKey, expirationSeconds: SESSION_SECONDS, sessionProfileId: READ_PROFILE };
  const body = bodyOf(organizationId, 'STAMP_LOGIN', parameters);
  const { headers, way } = await prove(body);
  const activity = await submitBody('STAMP_LOGIN', body, headers);
  if (activity.status !== 'ACTIVITY_STATUS_COMPLETED') throw new Error(activity.failure?.message ?? WAITS);
  const { exp, organization_id } = claimsOf(resultOf<{ session: string }>(activity).session);
  type Who = Pick<Session, 'organizationId' | 'organizationName' | 'userId' | 'username'>;
  const who = await query<Who>(byKey(key), 'whoami', { organizationId: organization_id });
  await begin({ ...who, way, key, endsMs: exp * 1000 });
}

/** Without an organization, the passkey itself says which: a first prompt asks it, and a second one signs in. */
export async function signInByPasskey(organizationId: string, credentialId?: string): Promise<void> {
  let organization = organizationId;
  let id = credentialId;
  if (organization === '') {
    const asked = await passkeyStamp('');
    organization = organizationOfHandle(asked.userHandle) ?? '';
    id = asked.credentialId;
    if (organization === '') throw new Error('this passkey does not say its organization: type the organization’s id');
  }
  return signIn(organization, async (body) => {
    const { headers, credentialId: used } = await passkeyStamp(body, id);
    return { headers, way: { kind: 'passkey', credentialId: used } };
  });
}

export function signInByKey(organizationId: string, key: StampKey): Promise<void> {
  holdKey(key);
  const way: Way = { kind: 'key', publicKey: key.publicKey };
  return signIn(organizationId, async (body) => ({ headers: await byKey(key)(body), way }));
}

/** Deletes the session's key at the service, and forgets it here in any case. */
export async function signOut({ organizationId, userId, key }: Session): Promise<void> {
  const stamp = byKey(key);
  try {
    const { apiKeys } = await query<Pick<User, 'apiKeys'>>(stamp, 'get_api_keys', { organizationId, userId });
    const mine = apiKeys.find(({ credential }) => credential.publicKey === key.publicKey);
    if (mine) await submit(stamp, organizationId, 'DELETE_API_KEYS', { userId, apiKeyIds: [mine.apiKeyId] });
  } catch {
    // The key expires by itself.
  } finally {
    await forgetSession();
  }
}
