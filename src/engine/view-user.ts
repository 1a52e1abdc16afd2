import { Lru } from '../base/lru.ts';
import { type WireTimestamp, wireTimestamp } from '../base/time.ts';
import type { Credential, User } from '../model/user.ts';
import type { Reader } from '../store/types.ts';

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

/** What is left to say of a voter who was deleted. */
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

const KEPT = 10_000;

/** Users as JSON text, kept per version of the user row: every vote of every answer shows its whole user. */
export function userTexts(): (read: Reader, organizationId: string, userId: string, known?: User) => Promise<string> {
  const texts = new Lru<string>(KEPT);
  return async (read, organizationId, userId, known) => {
    const user = known ?? (await read.users.get(organizationId, userId));
    if (user === undefined) return JSON.stringify(viewDeletedUser(userId));
    const key = `${organizationId}/${userId}/${user.version}`;
    let text = texts.get(key);
    if (text === undefined) {
      const [credentials, tags] = await Promise.all([
        read.credentials.listByUser(organizationId, userId),
        read.tags.ofMember(organizationId, userId),
      ]);
      text = JSON.stringify(viewUser(user, credentials, tags));
      texts.set(key, text);
    }
    return text;
  };
}
