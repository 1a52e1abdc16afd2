import { Lru } from '../../base/lru.ts';
import { type WireTimestamp, wireTimestamp } from '../../base/time.ts';
import type { Vote } from '../../model/activity.ts';
import type { Credential, User, UserVersion } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';

export type ApiKeyView = {
  credential: { publicKey: string; type: string };
  apiKeyId: string;
  apiKeyName: string;
  createdAt: WireTimestamp;
  updatedAt: WireTimestamp;
  expirationSeconds?: string;
};

export type UserView = {
  userId: string;
  userName: string;
  userEmail?: string;
  userPhoneNumber?: string;
  authenticators: never[];
  apiKeys: ApiKeyView[];
  userTags: string[];
  oauthProviders: never[];
  createdAt: WireTimestamp;
  updatedAt: WireTimestamp;
  mfaPolicies: never[];
};

export function viewApiKey(c: Credential): ApiKeyView {
  return {
    credential: { publicKey: c.publicKey, type: c.type },
    apiKeyId: c.id,
    apiKeyName: c.name,
    createdAt: wireTimestamp(c.createdAt),
    updatedAt: wireTimestamp(c.updatedAt),
    ...(c.expirationSeconds === null ? {} : { expirationSeconds: String(c.expirationSeconds) }),
  };
}

export function viewUser(user: User, credentials: readonly Credential[], tags: readonly string[]): UserView {
  return {
    userId: user.id,
    userName: user.name,
    ...(user.email === null ? {} : { userEmail: user.email }),
    ...(user.phone === null ? {} : { userPhoneNumber: user.phone }),
    authenticators: [],
    apiKeys: credentials.map(viewApiKey),
    userTags: [...tags],
    oauthProviders: [],
    createdAt: wireTimestamp(user.createdAt),
    updatedAt: wireTimestamp(user.updatedAt),
    mfaPolicies: [],
  };
}

/** What is left to say of a voter who was deleted before versions were kept. */
function viewDeletedUser(id: string): UserView {
  const never = wireTimestamp(0);
  return {
    userId: id,
    userName: '',
    authenticators: [],
    apiKeys: [],
    userTags: [],
    oauthProviders: [],
    createdAt: never,
    updatedAt: never,
    mfaPolicies: [],
  };
}

async function current(read: Reader, organizationId: string, userId: string): Promise<UserVersion | undefined> {
  const user = await read.users.get(organizationId, userId);
  if (user === undefined) return undefined;
  const [credentials, tags] = await Promise.all([
    read.credentials.listByUser(organizationId, userId),
    read.tags.ofMember(organizationId, userId),
  ]);
  return { user, credentials, tags };
}

/** The voter as of the vote, or as of now where that was not kept. Undefined: deleted, and not kept either. */
export async function voterThen(read: Reader, { organizationId, userId, userVersion }: Vote): Promise<UserVersion | undefined> {
  const now = await current(read, organizationId, userId);
  if (now?.user.version === userVersion) {
    // Read bit by bit: what was changed meanwhile has another version.
    if ((await read.users.get(organizationId, userId))?.version === userVersion) return now;
  }
  return (await read.users.past(organizationId, userId, userVersion)) ?? now;
}

const KEPT = 10_000;

/** Voters as JSON text, kept per version of the user row: every vote of every answer shows its whole user. */
export function voterTexts(): (read: Reader, vote: Vote) => Promise<string> {
  const texts = new Lru<string>(KEPT);
  return async (read, vote) => {
    const { organizationId, userId, userVersion } = vote;
    const key = `${organizationId}/${userId}/${userVersion}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const then = await voterThen(read, vote);
    if (then === undefined) return JSON.stringify(viewDeletedUser(userId));
    const text = JSON.stringify(viewUser(then.user, then.credentials, then.tags));
    if (then.user.version === userVersion) texts.set(key, text);
    return text;
  };
}
