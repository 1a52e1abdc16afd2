import type { Invitation } from '../../../model/invitation.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { invitations } from '../../tables/invitations.ts';
import type { Upkeep } from '../upkeep.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('invitations').select(invitations.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const ofUser = statement((db, p: { org: string; user: string }) =>
  db.selectFrom('invitations').select(invitations.all).where('organization_id', '=', p.org).where('user_id', '=', p.user),
);
const pages = pagesOf(invitations);
const insert = statement((db, p: Invitation) => db.insertInto('invitations').values(values(invitations, p)));
const settle = statement((db, p: { org: string; id: string; status: Invitation['status']; now: number }) =>
  db
    .updateTable('invitations')
    .set({ status: p.status, secret: null, updated_at: p.now })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id)
    .where('status', '=', 'INVITATION_STATUS_CREATED'),
);

export const invitationReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<Invitation | undefined> {
    return get.first(conn, { org, id });
  },
  /** The invitation that created a user. */
  async ofUser(org: string, user: string): Promise<Invitation | undefined> {
    return ofUser.first(conn, { org, user });
  },
  /** In the order of creation. */
  async page(org: string, page: Page): Promise<Invitation[]> {
    return pages(conn, org, page);
  },
});

export const invitationWrites = (conn: Conn, { counts }: Upkeep) => ({
  async insert(invitation: Invitation): Promise<void> {
    await insert.run(conn, invitation);
    counts.add(invitation.organizationId, 'invitationCount', 1);
  },
  /** Ends an invitation, and deletes the value that its secret is compared with. False if it is not open. */
  async settle(
    org: string,
    id: string,
    status: Exclude<Invitation['status'], 'INVITATION_STATUS_CREATED'>,
    now: number,
  ): Promise<boolean> {
    if ((await settle.run(conn, { org, id, status, now })) === 0) return false;
    counts.add(org, 'invitationCount', -1);
    return true;
  },
});
