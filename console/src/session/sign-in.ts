/** Signing in: one stamp over STAMP_LOGIN registers a key made here, which can only read. */
import { visible } from '../../../review/visible.ts';
import { fromBase64Url } from '../../../src/base/bytes.ts';
import { bodyOf, resultOf, submit, submitBody } from '../service/activities.ts';
import { digestOf } from '../service/bytes.ts';
import { query, type Stamper } from '../service/call.ts';
import { endsSession, ServiceError } from '../service/errors.ts';
import { openFactors, type SaidFactors, stepsText } from '../service/factors.ts';
import { type Attested, byAttested, byKey, newStampKey, passkeyStamp, type StampKey } from '../service/stamps.ts';
import type { Activity, User } from '../service/types.ts';
import { forgetKey, holdKey } from './own-keys.ts';
import { READ_PROFILE, SESSION_SECONDS } from './profiles.ts';
import { begin, forgetSession, noteAfterSignOut, type Session, type Way } from './state.ts';
import { organizationOfHandle } from './user-handle.ts';

/** `key`: of a person without a passkey. `asks`: stamps questions too, without a prompt. */
type Proof = { headers: Record<string, string>; way: Way; key?: StampKey; asks?: Stamper };

/** The session that the same person signs in to again. */
type Again = Session | undefined;

type Login = { again: Again; key: StampKey; body: string; proof: Proof };

/**
 * A sign-in that the service keeps. `needs`: further factors of the same person, or approvals of others. `organizationId`: where it
 * runs, which may be below the one that it names. `missing`: steps in words, as far as they are known. `isMore`: a factor was given.
 */
export type Waiting = {
  login: Login;
  needs: 'factor' | 'others';
  fingerprint: string;
  activityId: string;
  organizationId: string;
  missing: string[];
  isMore?: true;
};

const NEEDS: Readonly<Record<string, Waiting['needs']>> = {
  ACTIVITY_STATUS_AUTHENTICATORS_NEEDED: 'factor',
  ACTIVITY_STATUS_CONSENSUS_NEEDED: 'others',
};

/** What the token says. It describes the session, and is no credential. */
function claimsOf(token: string): { exp: number; organization_id: string } {
  return JSON.parse(new TextDecoder().decode(fromBase64Url(token.split('.')[1] ?? '')));
}

type Proving = (body: string) => Promise<Proof>;

async function signIn(organizationId: string, again: Again, prove: Proving): Promise<Waiting | undefined> {
  const key = await newStampKey();
  const parameters = { publicKey: key.publicKey, expirationSeconds: SESSION_SECONDS, sessionProfileId: READ_PROFILE };
  const body = bodyOf(organizationId, 'STAMP_LOGIN', parameters);
  return finish({ again, key, body, proof: await prove(body) });
}

/** A passkey would ask once more to learn what is missing. */
async function missingSteps({ asks }: Proof, { organizationId, id: activityId }: Activity): Promise<string[]> {
  if (asks === undefined) return [];
  const asked = query<SaidFactors>(asks, 'review_activity', { organizationId, activityId });
  return openFactors(await asked.catch(() => ({}))).map(stepsText);
}

/** Its fingerprint is computed here: a further factor stamps nothing else. */
async function waitingOf(login: Login, needs: Waiting['needs'], activity: Activity): Promise<Waiting> {
  const { id: activityId, organizationId } = activity;
  const fingerprint = `sha256:${await digestOf(login.body)}`;
  const missing = needs === 'factor' ? await missingSteps(login.proof, activity) : [];
  return { login, needs, fingerprint, activityId, organizationId, missing };
}

/** The same body again is the same sign-in, which may be complete by now. */
export async function finish(login: Login): Promise<Waiting | undefined> {
  const { again, key, proof } = login;
  const activity = await submitBody('STAMP_LOGIN', login.body, proof.headers);
  const needs = NEEDS[activity.status];
  if (needs) return waitingOf(login, needs, activity);
  if (activity.status !== 'ACTIVITY_STATUS_COMPLETED') throw new Error(activity.failure?.message ?? 'the sign-in was rejected');
  const { exp, organization_id } = claimsOf(resultOf<{ session: string }>(activity).session);
  type Who = Pick<Session, 'organizationId' | 'organizationName' | 'userId' | 'username'>;
  const who = await query<Who>(byKey(key), 'whoami', { organizationId: organization_id });
  if (again && (who.organizationId !== again.organizationId || who.userId !== again.userId)) {
    await deleteKey({ ...who, key }).catch(() => {});
    throw new Error(`this is ${visible(who.username)}: sign out first, since the page is of ${visible(again.username)}`);
  }
  if (proof.key) holdKey(proof.key);
  await begin({ ...who, way: proof.way, key, endsMs: exp * 1000 });
  // A session that ended has no key any more.
  if (again) void deleteKey(again).catch(() => {});
  return undefined;
}

/** A further factor stamps the fingerprint of the sign-in. */
export async function addFactor({ login, organizationId, fingerprint }: Waiting, stamp: Stamper): Promise<Waiting | undefined> {
  await submit(stamp, organizationId, 'APPROVE_ACTIVITY', { fingerprint });
  const waits = await finish(login);
  return waits && { ...waits, isMore: true };
}

type ByPasskey = { credentialId?: string | undefined; again?: Again };

/** Without an organization, the passkey itself says which: a first prompt asks it, and a second one signs in. */
export async function signInByPasskey(organizationId: string, { credentialId, again }: ByPasskey = {}) {
  let organization = organizationId;
  let id = credentialId;
  if (organization === '') {
    const asked = await passkeyStamp('');
    organization = organizationOfHandle(asked.userHandle) ?? '';
    id = asked.credentialId;
    if (organization === '') throw new Error('this passkey does not say its organization: type the organization’s id');
  }
  return signIn(organization, again, async (body) => {
    const { headers, credentialId: used } = await passkeyStamp(body, id);
    return { headers, way: { kind: 'passkey', credentialId: used } };
  });
}

export function signInByKey(organizationId: string, key: StampKey, again?: Again): Promise<Waiting | undefined> {
  const way: Way = { kind: 'key', publicKey: key.publicKey };
  const asks = byKey(key);
  return signIn(organizationId, again, async (body) => ({ headers: await asks(body), way, key, asks }));
}

const NO_USER = {
  code: 'no user there receives mail at this address',
  provider: 'no user there has this account',
};

/** The key of a session is another one than that which the token vouches for. */
export async function signInByToken(organizationId: string, attested: Attested, again?: Again): Promise<Waiting | undefined> {
  const way: Way = { kind: attested.by };
  const asks = byAttested(attested);
  try {
    return await signIn(organizationId, again, async (body) => ({ headers: await asks(body), way, asks }));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'PUBLIC_KEY_NOT_FOUND') throw error;
    const where = 'these ways lead to sub-organizations alone: type the id of yours';
    throw new Error(`${NO_USER[attested.by]}. ${where}. The service says: ${error.message}`);
  }
}

async function deleteKey({ organizationId, userId, key }: Pick<Session, 'organizationId' | 'userId' | 'key'>): Promise<void> {
  const stamp = byKey(key);
  const { apiKeys } = await query<Pick<User, 'apiKeys'>>(stamp, 'get_api_keys', { organizationId, userId });
  const mine = apiKeys.find(({ credential }) => credential.publicKey === key.publicKey);
  if (mine) await submit(stamp, organizationId, 'DELETE_API_KEYS', { userId, apiKeyIds: [mine.apiKeyId] });
}

const STAYS =
  'You are signed out here. The service was not told, so the session’s key stays there until it ends. It can look, and change nothing.';

/** Forgets the session first, and then deletes its key at the service. `key`: to be forgotten too. */
export async function signOut(session: Session, key?: string): Promise<void> {
  try {
    if (key !== undefined) await forgetKey(key);
  } finally {
    await forgetSession();
  }
  await deleteKey(session).catch((error: unknown) => {
    if (!endsSession(error)) noteAfterSignOut(STAYS);
  });
}
