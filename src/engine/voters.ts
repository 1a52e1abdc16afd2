import { Lru } from '../base/lru.ts';
import type { Vote } from '../model/activity.ts';
import { isApiKeyType, type UserVersion } from '../model/user.ts';
import type { Reader } from '../store/types.ts';
import { viewDeletedUser, viewUser } from '../wire/users.ts';

/**
 * A voter of this organization as of the vote, or as of now if that version was not kept. Undefined: deleted, and no version
 * kept.
 */
export async function voterThen(
  read: Reader,
  organizationId: string,
  { userId, userVersion }: Pick<Vote, 'userId' | 'userVersion'>,
): Promise<UserVersion | undefined> {
  const kept = await read.users.past(organizationId, userId, userVersion);
  if (kept !== undefined) return kept;
  const now = await read.userStates.get(organizationId, userId);
  if (now === undefined) return undefined;
  // Its reads are not one snapshot. A change between them raises the version, and the version before it is kept.
  const isUnchanged = (await read.users.get(organizationId, userId))?.version === userVersion;
  return isUnchanged ? now : ((await read.users.past(organizationId, userId, userVersion)) ?? now);
}

/** Sessions are created and expire without a new version of their user. */
const lasting = (then: UserVersion): UserVersion => ({
  ...then,
  credentials: then.credentials.filter(({ type }) => isApiKeyType(type)),
});

/** Characters: about ten thousand voters, or fewer if they have much data. */
const KEPT = 32_000_000;

/** A voter as of the vote, as JSON text. */
export type VoterTexts = (read: Reader, organizationId: string, vote: Vote) => Promise<string>;

/** Keeps the texts by version of the user row, because every vote of every answer shows its whole user. */
export function voterTexts(): VoterTexts {
  const texts = new Lru<string>(KEPT, (text) => text.length);
  return async (read, organizationId, { userId, userVersion }) => {
    const key = `${organizationId}/${userId}/${userVersion}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const then = await voterThen(read, organizationId, { userId, userVersion });
    if (then === undefined) return JSON.stringify(viewDeletedUser(userId));
    const text = JSON.stringify(viewUser(lasting(then)));
    if (then.user.version === userVersion) texts.set(key, text);
    return text;
  };
}
