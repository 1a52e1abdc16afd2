import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import { STRING } from '../../engine/activity/declare.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { type Organization, topLevelIdOf } from '../../model/organization.ts';
import { builtInProfile, type SessionProfile } from '../../model/session-profile.ts';
import type { User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';

/** Duration of a session in seconds, if neither the request nor its profile sets it. */
const DEFAULT_SECONDS = 900;

const FIELD = 'parameters.sessionProfileId';

/** A profile that sessions of the organization may have: built in, of the organization itself, or of its parent. Throws NOT_FOUND. `field` names it. */
export async function findSessionProfile(
  read: Pick<Reader, 'sessionProfiles'>,
  organization: Pick<Organization, 'id' | 'parentId'>,
  id: string,
  field: string,
): Promise<SessionProfile> {
  const profile = builtInProfile(id) ?? (await read.sessionProfiles.get(topLevelIdOf(organization), id));
  if (profile === undefined) throw new ApiError('NOT_FOUND', `session profile not found: ${field} names ${id}`);
  return profile;
}
findSessionProfile.errors = errorsOf('NOT_FOUND');

type NewProfile = {
  sessionProfileName: string;
  scope: string;
  expirationSeconds?: string | undefined;
  notes?: string | undefined;
};

/** Stores a profile whose scope was checked; returns its id. */
export async function addSessionProfile(ctx: ExecuteContext<'none'>, profile: NewProfile): Promise<string> {
  const { organization, store, limits, ids, now } = ctx;
  const { sessionProfileName: name, scope, expirationSeconds: seconds, notes = null } = profile;
  // Profiles are never deleted, so the error cannot advise to make room.
  if ((await store.organizations.count(organization.id, 'sessionProfileCount')) >= limits.sessionProfiles)
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `this organization has reached its limit of ${limits.sessionProfiles} session profiles (LIMIT_SESSION_PROFILES): ask the operator to raise it`,
    );
  const id = ids.next();
  const expirationSeconds = seconds === undefined ? null : Number(seconds);
  await store.sessionProfiles.insert({
    organizationId: organization.id,
    id,
    name,
    scope,
    expirationSeconds,
    notes,
    createdAt: now,
  });
  return id;
}
addSessionProfile.errors = errorsOf('LIMIT_EXCEEDED');

type Login = Pick<ExecuteContext<'none'>, 'store' | 'submitter'>;

/**
 * The profile of a user's new key: the requested one. If a session with a profile makes the key, it must be the same profile.
 * No session becomes wider by logging in again. Throws REQUEST_INVALID and NOT_FOUND.
 */
export async function profileOfLogin(
  { store, submitter }: Login,
  user: User,
  asked?: string,
): Promise<SessionProfile | undefined> {
  const own = submitter.user.id === user.id ? (submitter.credential.sessionProfileId ?? undefined) : undefined;
  if (own !== undefined && asked !== undefined && asked !== own)
    throw invalid(FIELD, 'must be the profile of the session that stamps this login, or be left out');
  const id = asked ?? own;
  if (id === undefined) return undefined;
  return findSessionProfile(store, { id: user.organizationId, parentId: user.parentId }, id, FIELD);
}
profileOfLogin.errors = errorsOf('REQUEST_INVALID', findSessionProfile);

/** The duration of a session: the shorter of the requested one and the most that its profile allows. */
export function sessionSeconds(asked: string | undefined, profile: SessionProfile | undefined): number {
  const given = [asked === undefined ? null : Number(asked), profile?.expirationSeconds ?? null].filter((s) => s !== null);
  return given.length === 0 ? DEFAULT_SECONDS : Math.min(...given);
}

/** The value that policies see of a login: '' if no profile is requested. */
export const SESSION_PROFILE_PARAM = {
  session_profile_id: [STRING, ({ sessionProfileId = '' }: { sessionProfileId?: string | undefined }) => sessionProfileId],
} as const;
