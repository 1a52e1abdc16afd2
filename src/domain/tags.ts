import { ApiError, invalid } from '../base/errors.ts';
import type { ExecuteContext } from '../engine/context.ts';
import type { Ctx } from './context.ts';

/** Users, and the request field that names them. */
type Named = { field: string; userIds: readonly string[] };

/** Adds a tag to users and removes it from others. */
export async function retagUsers(
  ctx: ExecuteContext<'none'>,
  tagId: string,
  add: Named,
  remove: Named = { field: '', userIds: [] },
): Promise<void> {
  const { organization, store, now } = ctx;
  const both = remove.userIds.find((id) => add.userIds.includes(id));
  if (both !== undefined) throw invalid(remove.field, `names user ${both}, which ${add.field} names too`);
  for (const { userIds, field } of [add, remove])
    for (const id of new Set(userIds))
      if ((await store.users.get(organization.id, id)) === undefined)
        throw new ApiError('NOT_FOUND', `user not found: ${field} names ${id}`);
  for (const id of add.userIds) await store.tags.add(organization.id, tagId, id, now);
  for (const id of remove.userIds) await store.tags.drop(organization.id, tagId, id, now);
}

type Kind = 'user' | 'private_key';

async function existing(
  ctx: Ctx,
  organizationId: string,
  kind: Kind,
  tagIds: readonly string[],
  field: string,
): Promise<Set<string>> {
  if (tagIds.length === 0) return new Set();
  const known = await ctx.store.tags.existing(organizationId, kind, tagIds);
  const missing = tagIds.find((id) => !known.has(id));
  if (missing !== undefined)
    throw new ApiError('NOT_FOUND', `${kind === 'user' ? 'user' : 'private key'} tag not found: ${field} names ${missing}`);
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

/** Gives a user these tags, and takes all others. */
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
