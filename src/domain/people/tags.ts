import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import type { Tag } from '../../model/tag.ts';
import type { Ctx } from '../context.ts';
import { requireRoom } from '../limits/limits.ts';

type Kind = Tag['kind'];

/** Users or private keys, and the request field that names them. */
type Named = { field: string; ids: readonly string[] };

type TagContext = ExecuteContext<'none'>;

const NOUN: Readonly<Record<Kind, string>> = { user: 'user', private_key: 'private key' };

const missing = (kind: Kind, what: '' | ' tag', field: string, id: string): ApiError =>
  new ApiError('NOT_FOUND', `${NOUN[kind]}${what} not found: ${field} names ${id}`);

const taken = (kind: Kind, field: string): ApiError =>
  invalid(field, `${NOUN[kind]} tag label must be unique: the organization has a ${NOUN[kind]} tag of this name`);

async function isThere({ organization, store }: TagContext, kind: Kind, id: string): Promise<boolean> {
  const found = kind === 'user' ? await store.users.get(organization.id, id) : await store.privateKeys.get(organization.id, id);
  return found !== undefined;
}

/** Adds a tag to members and removes it from others. */
async function retag(ctx: TagContext, kind: Kind, tagId: string, add: Named, remove?: Named): Promise<void> {
  const { organization, store, now } = ctx;
  const adding = new Set(add.ids);
  const removing = new Set(remove?.ids);
  const both = add.ids.find((id) => removing.has(id));
  if (both !== undefined) throw invalid(remove!.field, `names ${NOUN[kind]} ${both}, which ${add.field} also names`);
  for (const id of adding) if (!(await isThere(ctx, kind, id))) throw missing(kind, '', add.field, id);
  for (const id of removing) if (!(await isThere(ctx, kind, id))) throw missing(kind, '', remove!.field, id);
  for (const id of adding) await store.tags.add(organization.id, tagId, id, now);
  for (const id of removing) await store.tags.drop(organization.id, tagId, id, now);
}

/** Creates a tag and adds it to members. Returns its id. */
export async function createTag(ctx: TagContext, kind: Kind, name: string, nameField: string, members: Named): Promise<string> {
  const { organization, store, limits, now } = ctx;
  const [most, setting]: [number, string] =
    organization.parentId === null
      ? [limits.tags, 'LIMIT_TAGS']
      : [limits.tagsOfSubOrganization, 'LIMIT_TAGS_OF_SUB_ORGANIZATION'];
  requireRoom(await store.organizations.count(organization.id, 'tagCount'), 1, most, 'tags', setting);
  const id = ctx.ids.next();
  const tag: Tag = { organizationId: organization.id, id, kind, name, createdAt: now, updatedAt: now };
  if (!(await store.tags.insert(tag))) throw taken(kind, nameField);
  await retag(ctx, kind, id, members);
  return id;
}
createTag.errors = errorsOf('REQUEST_INVALID', 'NOT_FOUND', requireRoom);

type TagChange = {
  id: string;
  idField: string;
  name: string | undefined;
  nameField: string;
  add: Named;
  remove: Named;
};

/** Renames a tag, adds it to members and removes it from others. */
export async function updateTag(ctx: TagContext, kind: Kind, change: TagChange): Promise<void> {
  const { id, idField, name, nameField, add, remove } = change;
  const tag = await ctx.store.tags.get(ctx.organization.id, kind, id);
  if (tag === undefined) throw missing(kind, ' tag', idField, id);
  if (name !== undefined && !(await ctx.store.tags.rename(tag, name, ctx.now))) throw taken(kind, nameField);
  await retag(ctx, kind, id, add, remove);
}
updateTag.errors = errorsOf('REQUEST_INVALID', 'NOT_FOUND');

/** Deletes tags: all of them, or none. Returns the ids of all members that had one of them. */
export async function deleteTags({ organization, store, now }: TagContext, kind: Kind, tags: Named): Promise<string[]> {
  const members = new Set<string>();
  for (const id of new Set(tags.ids)) {
    for (const member of await store.tags.members(organization.id, id)) members.add(member);
    if (!(await store.tags.remove(organization.id, kind, id, now))) throw missing(kind, ' tag', tags.field, id);
  }
  return [...members];
}
deleteTags.errors = errorsOf('NOT_FOUND');

async function existing(
  { store }: Ctx,
  organizationId: string,
  kind: Kind,
  tagIds: readonly string[],
  field: string,
): Promise<Set<string>> {
  if (tagIds.length === 0) return new Set();
  const known = await store.tags.existing(organizationId, kind, tagIds);
  const unknown = tagIds.find((id) => !known.has(id));
  if (unknown !== undefined) throw missing(kind, ' tag', field, unknown);
  return known;
}

/** Adds existing tags to a new user or private key. */
export async function addTags(
  ctx: Ctx,
  organizationId: string,
  kind: Kind,
  memberId: string,
  tagIds: readonly string[],
  field: string,
): Promise<void> {
  const known = await existing(ctx, organizationId, kind, tagIds, field);
  for (const id of known) await ctx.store.tags.add(organizationId, id, memberId, ctx.now);
}
addTags.errors = errorsOf('NOT_FOUND');

/** Gives a user these tags, and removes all others. */
export async function setTags(
  ctx: Ctx,
  organizationId: string,
  userId: string,
  tagIds: readonly string[],
  field: string,
): Promise<void> {
  const wanted = await existing(ctx, organizationId, 'user', tagIds, field);
  const had = new Set(await ctx.store.tags.ofMember(organizationId, userId));
  for (const id of wanted) if (!had.has(id)) await ctx.store.tags.add(organizationId, id, userId, ctx.now);
  for (const id of had) if (!wanted.has(id)) await ctx.store.tags.drop(organizationId, id, userId, ctx.now);
}
setTags.errors = errorsOf('NOT_FOUND');
