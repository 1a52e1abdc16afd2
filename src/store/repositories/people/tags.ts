import type { Tag } from '../../../model/tag.ts';
import { inLists } from '../../lists.ts';
import type { Page } from '../../page.ts';
import { ascending, boundsOf } from '../../pages.ts';
import { inRange } from '../../ranges.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { type ModelOf, values } from '../../table.ts';
import { tagMembers, tags } from '../../tables/tags.ts';
import type { Upkeep } from '../upkeep.ts';

const ofMember = statement((db, p: { org: string; member: string }) =>
  db.selectFrom('tag_members').select('tag_id').where('organization_id', '=', p.org).where('member_id', '=', p.member),
);
const ofMembers = dynamic({}, (db, p: { org: string; members: readonly string[] }) =>
  db
    .selectFrom('tag_members')
    .select(['member_id', 'tag_id'])
    .where('organization_id', '=', p.org)
    .where('member_id', 'in', p.members),
);
const members = statement((db, p: { org: string; tag: string }) =>
  db
    .selectFrom('tag_members')
    .select('member_id')
    .where('organization_id', '=', p.org)
    .where('tag_id', '=', p.tag)
    .orderBy('member_id'),
);
const get = statement((db, p: { org: string; kind: Tag['kind']; id: string }) =>
  db.selectFrom('tags').select(tags.all).where('organization_id', '=', p.org).where('kind', '=', p.kind).where('id', '=', p.id),
);
/** An organization has few tags, so one index suffices for every kind. */
const tagPage = dynamic(
  { kind: true, after: true, before: true },
  (
    db,
    p: { org: string; kind: Tag['kind'] | undefined; after: string | undefined; before: string | undefined; limit: number },
  ) => {
    const all = db.selectFrom('tags').select(tags.all).where('organization_id', '=', p.org);
    const ofKind = p.kind === undefined ? all : all.where('kind', '=', p.kind);
    return inRange(ofKind, { fixed: [], key: 'id', ...boundsOf(p) });
  },
);
const insert = statement((db, p: Tag) =>
  db
    .insertInto('tags')
    .values(values(tags, p))
    .onConflict((c) => c.columns(['organization_id', 'kind', 'name']).doNothing()),
);
const nameTaken = statement((db, p: { org: string; kind: Tag['kind']; name: string; id: string }) =>
  db
    .selectFrom('tags')
    .select('id')
    .where('organization_id', '=', p.org)
    .where('kind', '=', p.kind)
    .where('name', '=', p.name)
    .where('id', '<>', p.id),
);
const rename = statement((db, p: { org: string; id: string; name: string; now: number }) =>
  db.updateTable('tags').set({ name: p.name, updated_at: p.now }).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const remove = statement((db, p: { org: string; kind: Tag['kind']; id: string }) =>
  db.deleteFrom('tags').where('organization_id', '=', p.org).where('kind', '=', p.kind).where('id', '=', p.id),
);
const add = statement((db, p: ModelOf<typeof tagMembers>) =>
  db
    .insertInto('tag_members')
    .values(values(tagMembers, p))
    .onConflict((c) => c.columns(['organization_id', 'member_id', 'tag_id']).doNothing()),
);
const drop = statement((db, p: { org: string; tag: string; member: string }) =>
  db.deleteFrom('tag_members').where('organization_id', '=', p.org).where('member_id', '=', p.member).where('tag_id', '=', p.tag),
);
const dropTag = statement((db, p: { org: string; tag: string }) =>
  db.deleteFrom('tag_members').where('organization_id', '=', p.org).where('tag_id', '=', p.tag),
);

const dropMember = statement((db, p: { org: string; member: string }) =>
  db.deleteFrom('tag_members').where('organization_id', '=', p.org).where('member_id', '=', p.member),
);

const existing = dynamic({}, (db, p: { org: string; kind: Tag['kind']; ids: readonly string[] }) =>
  db.selectFrom('tags').select('id').where('organization_id', '=', p.org).where('kind', '=', p.kind).where('id', 'in', p.ids),
);

export const tagReads = (conn: Conn) => ({
  async get(org: string, kind: Tag['kind'], id: string): Promise<Tag | undefined> {
    return get.first(conn, { org, kind, id });
  },
  /** In the order of creation. */
  async page(org: string, kind: Tag['kind'] | undefined, page: Page): Promise<Tag[]> {
    const { after, before, limit } = page;
    return ascending(await tagPage.all(conn, { org, kind, after, before, limit }), page);
  },
  async members(org: string, tag: string): Promise<string[]> {
    return (await members.all(conn, { org, tag })).map((row) => row.member_id);
  },
  async ofMember(org: string, member: string): Promise<string[]> {
    // Sorted here: ORDER BY makes this look-up seven times as slow on SQLite.
    return (await ofMember.all(conn, { org, member })).map((row) => row.tag_id).sort();
  },
  /** The tag ids of each of these members. Members without tags are left out. */
  async ofMembers(org: string, ids: readonly string[]): Promise<Map<string, string[]>> {
    const found = await inLists(ids, (some) => ofMembers.all(conn, { org, members: some }));
    const byMember = new Map<string, string[]>();
    for (const [member, rows] of Map.groupBy(found, (row) => row.member_id))
      byMember.set(member, rows.map((row) => row.tag_id).sort());
    return byMember;
  },
  /** The ids that are tags of this kind in this organization. */
  async existing(org: string, kind: Tag['kind'], ids: readonly string[]): Promise<Set<string>> {
    const rows = await inLists(ids, (some) => existing.all(conn, { org, kind, ids: some }));
    return new Set(rows.map((row) => row.id));
  },
});

export const tagWrites = (conn: Conn, { versions, counts }: Upkeep) => ({
  /** False if the organization has a tag of this kind and name. */
  async insert(tag: Tag): Promise<boolean> {
    const inserted = await insert.run(conn, tag);
    counts.add(tag.organizationId, 'tagCount', inserted);
    return inserted === 1;
  },
  /** False if another tag of the kind has the name. */
  async rename({ organizationId: org, id, kind }: Tag, name: string, now: number): Promise<boolean> {
    if ((await nameTaken.first(conn, { org, kind, name, id })) !== undefined) return false;
    await rename.run(conn, { org, id, name, now });
    return true;
  },
  /** Removes the tag and its memberships. False if there is no such tag of this kind. */
  async remove(org: string, kind: Tag['kind'], id: string, now: number): Promise<boolean> {
    for (const { member_id: member } of await members.all(conn, { org, tag: id })) await versions.before(org, member, now);
    if ((await remove.run(conn, { org, kind, id })) === 0) return false;
    counts.add(org, 'tagCount', -1);
    await dropTag.run(conn, { org, tag: id });
    return true;
  },
  async add(org: string, tag: string, member: string, now: number): Promise<void> {
    await versions.before(org, member, now);
    await add.run(conn, { organizationId: org, tagId: tag, memberId: member });
  },
  /** False if the member does not have the tag. */
  async drop(org: string, tag: string, member: string, now: number): Promise<boolean> {
    await versions.before(org, member, now);
    return (await drop.run(conn, { org, tag, member })) === 1;
  },
  /** Removes all tags of a member. */
  async dropMember(org: string, member: string, now: number): Promise<void> {
    await versions.before(org, member, now);
    await dropMember.run(conn, { org, member });
  },
});
