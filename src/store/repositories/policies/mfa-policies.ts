import type { MfaPolicy } from '../../../model/mfa-policy.ts';
import { listsOfUsers } from '../../of-users.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { mfaPolicies } from '../../tables/mfa-policies.ts';
import type { Upkeep } from '../upkeep.ts';

type Key = { org: string; user: string; id: string };

const get = statement((db, p: Key) =>
  db
    .selectFrom('mfa_policies')
    .select(mfaPolicies.all)
    .where('organization_id', '=', p.org)
    .where('user_id', '=', p.user)
    .where('id', '=', p.id),
);
const lists = listsOfUsers(mfaPolicies);
const insert = statement((db, p: MfaPolicy) => db.insertInto('mfa_policies').values(values(mfaPolicies, p)));
const update = statement((db, p: MfaPolicy) => {
  const { organization_id, user_id, id, created_at, ...changed } = values(mfaPolicies, p);
  return db
    .updateTable('mfa_policies')
    .set(changed)
    .where('organization_id', '=', p.organizationId)
    .where('user_id', '=', p.userId)
    .where('id', '=', p.id);
});
const remove = statement((db, p: Key) =>
  db.deleteFrom('mfa_policies').where('organization_id', '=', p.org).where('user_id', '=', p.user).where('id', '=', p.id),
);
const count = statement((db, p: { org: string; user: string; more: number }) =>
  db
    .updateTable('users')
    .set((e) => ({ mfa_policy_count: e('mfa_policy_count', '+', p.more) }))
    .where('organization_id', '=', p.org)
    .where('id', '=', p.user),
);

export const mfaPolicyReads = (conn: Conn) => ({
  async get(org: string, user: string, id: string): Promise<MfaPolicy | undefined> {
    return get.first(conn, { org, user, id });
  },
  ...lists(conn),
});

/** The user's row counts the policies, so decisions read no policies of a user without any. */
export const mfaPolicyWrites = (conn: Conn, { versions }: Upkeep) => ({
  async insert(policy: MfaPolicy): Promise<void> {
    const { organizationId, userId, createdAt } = policy;
    await versions.before(organizationId, userId, createdAt);
    await insert.run(conn, policy);
    await count.run(conn, { org: organizationId, user: userId, more: 1 });
  },
  /** False if there is no such policy. */
  async update(policy: MfaPolicy): Promise<boolean> {
    await versions.before(policy.organizationId, policy.userId, policy.updatedAt);
    return (await update.run(conn, policy)) === 1;
  },
  /** False if there is no such policy. */
  async remove(org: string, user: string, id: string, now: number): Promise<boolean> {
    if ((await get.first(conn, { org, user, id })) === undefined) return false;
    await versions.before(org, user, now);
    await remove.run(conn, { org, user, id });
    await count.run(conn, { org, user, more: -1 });
    return true;
  },
});
