import type { User, UserVersion } from '../../../model/user.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { users } from '../../tables/users.ts';

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

type Contacted = { org: string; contact: string; most: number };
type ContactColumn = 'email_key' | 'phone' | 'verified_email_key' | 'verified_phone';

/** Each column has an index that begins with the organization. */
const withContact = (column: ContactColumn) =>
  statement((db, p: Contacted) =>
    db.selectFrom('users').select(users.all).where('organization_id', '=', p.org).where(column, '=', p.contact).limit(p.most),
  );

const contacted = {
  email: { any: withContact('email_key'), verified: withContact('verified_email_key') },
  phone: { any: withContact('phone'), verified: withContact('verified_phone') },
};

export const userReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<User | undefined> {
    return get.first(conn, { org, id });
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<User[]> {
    return pages(conn, org, page);
  },
  /** Some users with this email or phone number: all of them, or only those who verified it. */
  async withContact(
    org: string,
    { kind, contact, verified }: { kind: 'email' | 'phone'; contact: string; verified: boolean },
    most: number,
  ): Promise<User[]> {
    const look = contacted[kind][verified ? 'verified' : 'any'];
    return look.all(conn, { org, contact: contact.toLowerCase(), most });
  },
  /** An earlier version of a user. Undefined for the newest version, and for versions that were not stored. */
  async past(org: string, id: string, version: number): Promise<UserVersion | undefined> {
    return (await past.first(conn, { org, id, version }))?.content;
  },
});
