import type { Schema } from '../schema.ts';
import { type Conn, dynamic, statement } from '../statement.ts';

export type TagKind = Schema['tags']['kind'];

const ofMember = statement((db, p: { org: string; member: string }) =>
  db
    .selectFrom('tag_members')
    .select('tag_id')
    .where('organization_id', '=', p.org)
    .where('member_id', '=', p.member)
    .orderBy('tag_id'),
);
const ofOrganization = statement((db, p: { org: string }) =>
  db
    .selectFrom('tag_members')
    .select(['member_id', 'tag_id'])
    .where('organization_id', '=', p.org)
    .orderBy('member_id')
    .orderBy('tag_id'),
);
const add = statement((db, p: { org: string; tag: string; member: string }) =>
  db
    .insertInto('tag_members')
    .values({ organization_id: p.org, tag_id: p.tag, member_id: p.member })
    .onConflict((c) => c.columns(['organization_id', 'member_id', 'tag_id']).doNothing()),
);

export const tagReads = (conn: Conn) => ({
  async ofMember(org: string, member: string): Promise<string[]> {
    return (await ofMember.all(conn, { org, member })).map((row) => row.tag_id);
  },
  /** Tag ids of every tagged member of the organization. */
  async byMember(org: string): Promise<Map<string, string[]>> {
    const tags = new Map<string, string[]>();
    for (const { member_id, tag_id } of await ofOrganization.all(conn, { org })) {
      const ids = tags.get(member_id);
      if (ids) ids.push(tag_id);
      else tags.set(member_id, [tag_id]);
    }
    return tags;
  },
  /** Which of these ids are tags of this kind in this organization. */
  async existing(org: string, kind: TagKind, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await dynamic<{ id: string }>(conn, (db) =>
      db.selectFrom('tags').select('id').where('organization_id', '=', org).where('kind', '=', kind).where('id', 'in', ids),
    );
    return new Set(rows.map((row) => row.id));
  },
});

export const tagWrites = (conn: Conn) => ({
  async add(org: string, tag: string, member: string): Promise<void> {
    await add.run(conn, { org, tag, member });
  },
});
