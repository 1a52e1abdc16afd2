import { ApiError } from '../base/errors.ts';
import { STRING } from '../engine/activity/declare.ts';
import type { ExecuteContext } from '../engine/context.ts';
import { type Organization, topLevelIdOf } from '../model/organization.ts';
import type { SessionProfile } from '../model/session-profile.ts';
import type { Reader } from '../store/types.ts';

/** Seconds that a session lasts if neither the request nor its profile says it. */
const DEFAULT_SECONDS = 900;

/** A profile that sessions of the organization may have: of the organization itself, or of its parent. Throws NOT_FOUND. `field` names it. */
export async function findSessionProfile(
  read: Pick<Reader, 'sessionProfiles'>,
  organization: Organization,
  id: string,
  field: string,
): Promise<SessionProfile> {
  const profile = await read.sessionProfiles.get(topLevelIdOf(organization), id);
  if (profile === undefined) throw new ApiError('NOT_FOUND', `session profile not found: ${field} names ${id}`);
  return profile;
}

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
  // They are never deleted, so nobody can be told to make room.
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

/** How long a session lasts: the shorter of what was asked for and what its profile allows. */
export function sessionSeconds(asked: number | undefined, profile: SessionProfile | undefined): number {
  const given = [asked, profile?.expirationSeconds].filter((seconds) => seconds !== undefined && seconds !== null);
  return given.length === 0 ? DEFAULT_SECONDS : Math.min(...given);
}

/** What policies see of a login: '' where no profile is asked for. */
export const SESSION_PROFILE_PARAM = {
  session_profile_id: [STRING, ({ sessionProfileId = '' }: { sessionProfileId?: string | undefined }) => sessionProfileId],
} as const;
