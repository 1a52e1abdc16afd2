import type { Wanted, WantedUser } from './files.ts';
import type { Names } from './names.ts';
import type { Place } from './place.ts';
import type { Live, LiveUser, Named } from './state.ts';
import { portions, type Step, step } from './step.ts';
import { readsTag } from './texts.ts';

/** What the files want of users and of the members of tags. */
export type PeopleWish = {
  /** `id`: its placeholder. */
  made: { id: string; name: string; email: string | undefined; tagIds: string[]; place: Place }[];
  moved: { id: string; name: string; had: readonly string[]; tagIds: string[]; place: Place }[];
  wrong: string[];
};

function liveUser(wanted: WantedUser, live: Live, wrong: string[]): LiveUser | undefined {
  const named = live.users.filter(({ name }) => name === wanted.name);
  const email = wanted.email?.toLowerCase();
  const found = email === undefined ? named : named.filter((user) => user.email === email);
  if (found.length > 1) {
    const all = found.map(({ id }) => id).join(', ');
    const place = wanted.place(['name']);
    wrong.push(`${place}: the user "${wanted.name}" is ambiguous: ${found.length} users have this name (${all})`);
  } else if (found.length === 0 && named.length > 0)
    wrong.push(
      `${wanted.place(['email'])}: the user "${wanted.name}" has another email: apply changes no email, since codes are sent to it`,
    );
  return found[0] ?? named[0];
}

export function peopleWish(wanted: Wanted, live: Live, names: Names, pruned: readonly Named[]): PeopleWish {
  const wish: PeopleWish = { made: [], moved: [], wrong: [] };
  const isPruned = new Set(pruned.map(({ id }) => id));
  for (const one of wanted.users) {
    const { name, email } = one;
    const user = liveUser(one, live, wish.wrong);
    const place = one.place(['tags']);
    const tagIds = one.tags && [...new Set(one.tags.map((tag, i) => names.tag(tag, one.place(['tags', i]))))];
    if (user === undefined && email === undefined)
      wish.wrong.push(
        `${one.place(['name'])}: the new user "${name}" needs an email to log in with: give one, or create the user with a key first`,
      );
    if (user === undefined) wish.made.push({ id: names.user(name), name, email, tagIds: tagIds ?? [], place });
    if (user === undefined || tagIds === undefined) continue;
    // Deleting a tag takes it from its members.
    const had = user.tagIds.filter((id) => !isPruned.has(id));
    if (had.length === tagIds.length && had.every((id) => tagIds.includes(id))) continue;
    if (user.id === live.callerId)
      wish.wrong.push(`${place}: "${name}" is the caller, whom apply never changes: use the credentials of another user`);
    wish.moved.push({ id: user.id, name, had, tagIds, place });
  }
  return wish;
}

/** The members that a tag gets and loses. */
type Moves = Map<string, { add: string[]; remove: string[] }>;

function movesOf(moved: PeopleWish['moved']): Moves {
  const moves: Moves = new Map();
  const of = (id: string) => {
    if (!moves.has(id)) moves.set(id, { add: [], remove: [] });
    return moves.get(id)!;
  };
  for (const { id, had, tagIds } of moved) {
    for (const tag of tagIds) if (!had.includes(tag)) of(tag).add.push(id);
    for (const tag of had) if (!tagIds.includes(tag)) of(tag).remove.push(id);
  }
  return moves;
}

const MOST_MEMBERS = 1000;

/** All tags of one user change in one request, or all members of one tag. `isRead`: policies and controls in force may read the tag. */
function moveSteps(
  moved: PeopleWish['moved'],
  tagName: (id: string) => string,
  isRead: (id: string) => boolean,
  wrong: string[],
): Step[] {
  const moves = movesOf(moved);
  const [only, ...others] = moved;
  if (only === undefined) return [];
  if (others.length === 0) {
    const details = [...moves].map(([id, { add }]) => `${add.length > 0 ? '+' : '-'} tag ${tagName(id)}`);
    const parameters = { userId: only.id, userTagIds: only.tagIds };
    return [step('members', 'update_user', `change the tags of user "${only.name}"`, parameters, { details })];
  }
  const read = [...moves.keys()].filter(isRead);
  if (read.length > 1)
    wrong.push(
      `${only.place}: the tags ${read.map(tagName).join(', ')} change for several users, and policies or controls in force read several of them. ` +
        'In between they could allow what neither state allows: change one user or one tag at a time',
    );
  const nameOf = new Map(moved.map(({ id, name }) => [id, name]));
  return [...moves].map(([id, { add, remove }]) => {
    if (add.length > MOST_MEMBERS || remove.length > MOST_MEMBERS)
      wrong.push(
        `${only.place}: the tag "${tagName(id)}" gets or loses more than ${MOST_MEMBERS} members: change fewer at a time`,
      );
    const details = [...add.map((user) => `+ user ${nameOf.get(user)}`), ...remove.map((user) => `- user ${nameOf.get(user)}`)];
    const parameters = { userTagId: id, addUserIds: add, removeUserIds: remove };
    const group = isRead(id) ? 'read members' : 'members';
    return step(group, 'update_user_tag', `change the members of tag "${tagName(id)}"`, parameters, { details });
  });
}

/**
 * `early`: requests that restrict. A new user whom they name is made before them, and gets tags later. Others are made after them, with
 * their tags. `inForce`: the texts of policies and controls that decide before and while tags change.
 */
export function peopleSteps(
  { wish, newTags, tagNames }: { wish: PeopleWish; newTags: readonly Named[]; tagNames: ReadonlyMap<string, string> },
  early: readonly Step[],
  inForce: readonly string[],
): { steps: Step[]; wrong: string[] } {
  const wrong: string[] = [];
  const named = JSON.stringify(early.map(({ parameters }) => parameters));
  const first = wish.made.filter(({ id }) => named.includes(id));
  const later = wish.made.filter(({ id }) => !named.includes(id));
  const moved = [
    ...wish.moved,
    ...first
      .filter(({ tagIds }) => tagIds.length > 0)
      .map(({ id, name, tagIds, place }) => ({ id, name, had: [], tagIds, place })),
  ];
  const created = (group: 'users' | 'new members', users: PeopleWish['made']) =>
    portions(users, 100).map((some) => {
      const title = `create ${some.length} ${some.length === 1 ? 'user' : 'users'} without credentials`;
      const bodies = some.map(({ name, email, tagIds }) => ({
        userName: name,
        ...(email !== undefined && { userEmail: email }),
        apiKeys: [],
        authenticators: [],
        oauthProviders: [],
        userTags: group === 'users' ? [] : tagIds,
      }));
      return step(
        group,
        'create_users',
        title,
        { users: bodies },
        {
          creates: some.map(({ id }) => id),
          details: some.map(({ name }) => `+ user ${name}`),
        },
      );
    });
  const steps = [
    ...newTags.map(({ name, id }) =>
      step('tags', 'create_user_tag', `create tag "${name}"`, { userTagName: name, userIds: [] }, { creates: [id] }),
    ),
    ...created('users', first),
    ...moveSteps(
      moved,
      (id) => tagNames.get(id) ?? id,
      (id) => inForce.some((text) => readsTag(text, id)),
      wrong,
    ),
    ...created('new members', later),
  ];
  return { steps, wrong };
}

/** Deletes tags that no policy and no control reads any more. */
export function tagRemovals(
  pruned: readonly Named[],
  live: Live,
  final: readonly { name: string; text: string }[],
): { steps: Step[]; wrong: string[] } {
  const caller = live.users.find(({ id }) => id === live.callerId);
  const wrong = pruned.flatMap(({ id, name }) => {
    if (caller?.tagIds.includes(id))
      return [`the tag "${name}" cannot be deleted: the caller has it, and apply never changes the caller`];
    const reader = final.find(({ text }) => readsTag(text, id));
    return reader === undefined ? [] : [`the tag "${name}" cannot be deleted: ${reader.name} may read it`];
  });
  const steps = portions(pruned, 100).map((some) => {
    const title = `delete ${some.length} ${some.length === 1 ? 'tag' : 'tags'}`;
    const details = some.map(({ name }) => `- tag ${name}`);
    return step('remove', 'delete_user_tags', title, { userTagIds: some.map(({ id }) => id) }, { details });
  });
  return { steps, wrong };
}
