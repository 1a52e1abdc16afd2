import type { Contact } from '../../model/attested.ts';
import type { User, UserVersion } from '../../model/user.ts';
import type { Page } from '../page.ts';
import { pagesOf } from '../pages.ts';
import { type Conn, dynamic, statement } from '../statement.ts';
import { users } from '../tables/users.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('users').select(users.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const pages = pagesOf(users);
const past = statement((db, p: { org: string; id: string; version: number }) =>
  db
    .selectFrom('user_versions')
    .select('content')
    .where('organization_id', '=', p.org)
    .where('user_id', '=', p.id)
    .where('version', '=', p.version),
);

type Having = { org: string; parent: string | undefined; value: string };
type ContactColumn = 'email_key' | 'verified_email_key' | 'phone' | 'verified_phone';

/**
 * Users of one organization with the same contact, two at most. The index begins with the parent, which top-level organizations do not
 * have, and a planner might prefer all users of the organization to it if both columns were compared alone. The index of verified
 * contacts has no others, which a planner must be told.
 */
const having = (column: ContactColumn) =>
  dynamic({ parent: true }, (db, p: Having) => {
    const query = db
      .selectFrom('users')
      .select(users.all)
      .where((e) => (p.parent === undefined ? e('parent_id', 'is', null) : e('parent_id', '=', p.parent)))
      .$if(column.startsWith('verified'), (all) => all.where(column, 'is not', null));
    return (['>=', '<='] as const)
      .reduce(
        (some, operator) => some.where((e) => e(e.refTuple(column, 'organization_id'), operator, e.tuple(p.value, p.org))),
        query,
      )
      .limit(2);
  });

const withContact = {
  email: { any: having('email_key'), verified: having('verified_email_key') },
  phone: { any: having('phone'), verified: having('verified_phone') },
};

/** The user with this contact: of several, the only one whose contact is verified. */
export type OfContact = { user: User } | 'none' | 'several';

export const userReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<User | undefined> {
    return get.first(conn, { org, id });
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<User[]> {
    return pages(conn, org, page);
  },
  /** By the forms under which the contact may be stored: an email in lower case, a phone number also as an older program stored it. */
  async ofContact(org: { id: string; parentId: string | null }, by: Contact, forms: readonly string[]): Promise<OfContact> {
    for (const kind of ['verified', 'any'] as const) {
      const found: User[] = [];
      for (const value of forms)
        found.push(...(await withContact[by][kind].all(conn, { org: org.id, parent: org.parentId ?? undefined, value })));
      if (found.length > 1) return 'several';
      if (found[0] !== undefined) return { user: found[0] };
    }
    return 'none';
  },
  /** An earlier version of a user; undefined for the newest version, and for versions that were not kept. */
  async past(org: string, id: string, version: number): Promise<UserVersion | undefined> {
    return (await past.first(conn, { org, id, version }))?.content;
  },
});
