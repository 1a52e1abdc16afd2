/** What holds now, beside a change: the service says it. */
import { isObject, type Json } from '../src/base/json.ts';
import { builtInProfile } from '../src/model/session-profile.ts';
import { type Answer, type Asking, MOST, NOW, objects, texts } from './asking.ts';
import { fieldsOf, listOf, member, type Parameters } from './parts.ts';
import type { Now, Review } from './types.ts';

async function policiesOf({ asked, lacks }: Asking, { parameters }: Review): Promise<Now> {
  const ids = texts([member(parameters, 'policyId'), ...listOf(parameters, 'policyIds')]);
  const answers = await Promise.all(ids.slice(0, MOST).map((policyId) => asked(NOW, 'get_policy', { policyId })));
  const policies = answers.flatMap(({ policy }) => (isObject(policy) ? [policy as { policyId: string }] : []));
  if (policies.length < ids.length) lacks(NOW);
  return { policies };
}

type User = NonNullable<Now['users']>[number];
type Name = [id: string, name: string];

/** Credentials of a user, each by the member that lists it. */
const CREDENTIALS = [
  ['apiKeys', 'apiKeyId', 'apiKeyName'],
  ['authenticators', 'authenticatorId', 'authenticatorName'],
  ['oauthProviders', 'providerId', 'providerName'],
] as const;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Sessions, keys that expire and providers are not lasting: no user of a top-level organization logs in by a provider. */
const lasts = (list: string, credential: Answer): boolean =>
  list !== 'oauthProviders' && credential.expirationSeconds === undefined;

function userIn({ user }: Answer): { user: User; names: Name[] } | undefined {
  if (!isObject(user) || typeof user.userId !== 'string' || typeof user.userName !== 'string') return undefined;
  const userId = user.userId.toLowerCase();
  const all = CREDENTIALS.flatMap(([list, id, name]) =>
    objects(user[list]).map((each) => ({ id: text(each[id]), name: text(each[name]), lasts: lasts(list, each) })),
  );
  const lastingIds = all.filter((each) => each.lasts).map(({ id }) => id);
  const contacts = { userEmail: text(user.userEmail), userPhoneNumber: text(user.userPhoneNumber) };
  const userTags = Array.isArray(user.userTags) ? texts(user.userTags).map((id) => id.toLowerCase()) : [];
  return {
    user: { userId, userName: user.userName, ...contacts, userTags, lasting: lastingIds.length, lastingIds },
    names: [[userId, user.userName], ...all.map(({ id, name }): Name => [id, name])],
  };
}

async function usersOf({ asked }: Asking, ids: readonly string[]): Promise<{ users: User[]; names: Name[] }> {
  const answers = await Promise.all(ids.map((userId) => asked('the name of a user', 'get_user', { userId })));
  const found = answers.flatMap((answer) => userIn(answer) ?? []);
  return { users: found.map(({ user }) => user), names: found.flatMap(({ names }) => names) };
}

async function quorumOf({ asked, lacks }: Asking): Promise<Now['rootQuorum']> {
  const { configs } = await asked(NOW, 'get_organization_configs');
  const quorum = isObject(configs) ? configs.quorum : undefined;
  if (isObject(quorum) && Array.isArray(quorum.userIds)) return quorum as NonNullable<Now['rootQuorum']>;
  lacks(NOW);
  return undefined;
}

/** Things with a name, by the member that names one. */
const THINGS = [
  ['wallet', 'get_wallet', 'walletId', 'walletName'],
  ['privateKey', 'get_private_key', 'privateKeyId', 'privateKeyName'],
  ['sessionProfile', 'get_session_profile', 'sessionProfileId', 'sessionProfileName'],
  ['velocityControl', 'get_velocity_control', 'velocityControlId', 'name'],
] as const;

/** Ids that the parameters have in these members, or that a new limit has in its scope. */
function idsIn(parameters: Parameters, name: string): string[] {
  const own = member(parameters, 'countersign');
  const scope = isObject(own) ? own.scope : undefined;
  const places = [parameters, ...(isObject(scope) ? [scope as Parameters] : [])];
  const found = places.flatMap((place) => [member(place, name), ...listOf(place, `${name}s`)]);
  return texts(found).filter((id) => builtInProfile(id.toLowerCase()) === undefined);
}

async function thingsOf({ asked, lacks }: Asking, { parameters }: Review): Promise<Now> {
  const wanted = THINGS.flatMap((thing) => idsIn(parameters, thing[2]).map((id) => ({ thing, id })));
  if (wanted.length > MOST) lacks('the name of a thing');
  const found: Now = {};
  const names: Name[] = [];
  await Promise.all(
    wanted.slice(0, MOST).map(async ({ thing: [key, query, idName, name], id }) => {
      const { [key]: answer } = await asked(NOW, query, { [idName]: id });
      if (!isObject(answer)) return lacks(NOW);
      names.push([id.toLowerCase(), text(answer[name])]);
      if (key === 'velocityControl') found.control = answer as { [member: string]: Json };
      if (key === 'sessionProfile' && typeof answer.scope === 'string') found.profileScope = answer.scope;
    }),
  );
  return { ...found, names: new Map(names) };
}

/** A new user has tags too, and so has an invited one. */
const TAG = /(?:^|\.)(?:receiver_?[uU]ser|user)_?[tT]ag(?:s|_?[iI]ds?)(?:$|\[)/;

/** Names of all tags, of which an organization has few. */
async function tagNames({ asked }: Asking, { kind, parameters }: Review): Promise<Name[]> {
  // An empty list takes all tags of a user away.
  const isAbout = (value: string) => value !== '[]' || kind === 'UPDATE_USER';
  if (![...fieldsOf(parameters, '')].some(({ path, value }) => TAG.test(path) && isAbout(value))) return [];
  const { userTags } = await asked('the name of a tag', 'list_user_tags');
  return objects(userTags).map(({ tagId, tagName }): Name => [text(tagId), text(tagName)]);
}

/** A change of who may act, of keys or of limits: names of what it is about. */
async function peopleAndThings(asker: Asking, review: Review): Promise<Now> {
  const { kind, parameters } = review;
  const isQuorum = kind === 'UPDATE_ROOT_QUORUM';
  const rootQuorum = isQuorum || kind === 'DELETE_USERS' ? await quorumOf(asker) : undefined;
  const members = [...listOf(parameters, 'addUserIds'), ...listOf(parameters, 'removeUserIds')];
  const ids = texts([...idsIn(parameters, 'userId'), ...members, ...(isQuorum ? (rootQuorum?.userIds ?? []) : [])]);
  if (ids.length > MOST) asker.lacks('the name of a user');
  const [{ users, names }, tags, things] = await Promise.all([
    usersOf(asker, ids.slice(0, MOST)),
    tagNames(asker, review),
    thingsOf(asker, review),
  ]);
  const all = new Map([...names, ...tags, ...(things.names ?? [])]);
  return { ...things, users, names: all, ...(rootQuorum && { rootQuorum }) };
}

/** What holds now, of an activity that signs nothing of a chain. */
export function nowOf(asker: Asking, review: Review): Promise<Now> {
  if (/^(?:UPDATE|DELETE)_POLIC/.test(review.kind)) return policiesOf(asker, review);
  return peopleAndThings(asker, review);
}
