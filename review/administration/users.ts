/** Changes of a user, and of the tags that policies name. */
import { fact, type Given, listOf, member, type Parameters, type Read, textOf } from '../parts.ts';
import type { Fact, Now, Warning } from '../types.ts';
import { visible } from '../visible.ts';
import { amber, camelCase, named, otherFacts, sentence } from './parts.ts';

const REACHES = amber('new-contact', 'Its holder may then log in as the user, or recover its credentials');
const TAGS = amber('tags-change', 'Policies may name these tags: what users may do and decide then changes');

type User = NonNullable<Now['users']>[number];

const NOW = ['userName', 'userEmail', 'userPhoneNumber'] as const;

/** With the value that holds now, where it is another. */
function beside(one: Fact, user: User | undefined): Fact {
  const name = NOW.find((each) => each === camelCase(one.label));
  const old = name && user?.[name];
  return old === undefined || visible(old) === one.value ? one : { ...one, before: visible(old) || 'none' };
}

/** The given tags replace all others. */
function tagFacts(given: readonly string[], user: User | undefined, now: Now | undefined): Fact[] {
  const had = user?.userTags;
  const isNew = (id: string) => had !== undefined && !had.includes(id.toLowerCase());
  const gone = had?.filter((id) => !given.some((each) => each.toLowerCase() === id)) ?? [];
  return [
    ...(given.length === 0 ? [fact('tags', 'none', 'text')] : []),
    ...given.map((id) => named(isNew(id) ? 'new tag' : 'tag', id, now)),
    ...gone.map((id) => named('no tag any more', id, now)),
  ];
}

/** The members that are shown by other words. Members of another shape are shown as they are. */
const lists = (parameters: Parameters, ...names: string[]): string[] =>
  names.filter((name) => Array.isArray(member(parameters, name)));

export function readUser({ kind, parameters, now }: Given): Read {
  const userId = textOf(parameters, 'userId').toLowerCase();
  const user = now?.users?.find((each) => each.userId === userId);
  const shown = lists(parameters, 'userTagIds');
  const tags = shown.length === 0 ? [] : tagFacts(listOf(parameters, 'userTagIds').map(String), user, now);
  const others = otherFacts({ ...parameters }, now, shown).map((each) => beside(each, user));
  const reaches = ['userEmail', 'userPhoneNumber'].some((name) => textOf(parameters, name) !== '');
  // Which tags are new is the service's word, which takes no warning away.
  const warnings: Warning[] = [...(reaches ? [REACHES] : []), ...(tags.length > 0 ? [TAGS] : [])];
  return { title: sentence(kind), form: 'people', facts: [...others, ...tags], warnings };
}

/** The users who get or lose a tag, and its name. */
export function readUserTag({ kind, parameters, now }: Given): Read {
  const old = now?.names?.get(textOf(parameters, 'userTagId').toLowerCase());
  const shown = lists(parameters, 'addUserIds', 'removeUserIds');
  const rename = (one: Fact): Fact =>
    camelCase(one.label) !== 'newUserTagName' || old === undefined || visible(old) === one.value
      ? one
      : { ...one, before: visible(old) };
  const members = [
    ...listOf(parameters, 'addUserIds').map((id) => named('gets the tag', String(id), now)),
    ...listOf(parameters, 'removeUserIds').map((id) => named('loses the tag', String(id), now)),
  ];
  const facts = [...otherFacts({ ...parameters }, now, shown).map(rename), ...members];
  return { title: sentence(kind), form: 'people', facts, warnings: members.length > 0 ? [TAGS] : [] };
}

export const readDeletedTags = ({ kind, parameters, now }: Given): Read => ({
  ...{ title: sentence(kind), form: 'people', facts: otherFacts({ ...parameters }, now), warnings: [TAGS] },
});
