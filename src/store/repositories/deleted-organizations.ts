import { breathe } from '../breathe.ts';
import { int, sought } from '../columns.ts';
import { type Conn, statement, written } from '../statement.ts';
import { type AnyTable, values } from '../table.ts';
import { activities, votes } from '../tables/activities.ts';
import {
  archivedActivities,
  archivedAudit,
  archivedFingerprints,
  archivedSendAttempts,
  archivedSends,
  archivedVotes,
} from '../tables/archived.ts';
import { audit } from '../tables/audit.ts';
import { type DeletedOrganization, deletedOrganizations } from '../tables/deleted-organizations.ts';
import { gasReservations } from '../tables/gas.ts';
import { tables } from '../tables/index.ts';
import { outbox } from '../tables/outbox.ts';
import { proofs } from '../tables/proofs.ts';
import { sendAttempts, sends } from '../tables/sends.ts';
import { secrets } from '../tables/signers.ts';
import { users, userVersions } from '../tables/users.ts';
import type { Counts } from './counts.ts';
import { organizationReads } from './organizations.ts';
import type { UserVersions } from './user-versions-type.ts';
import { userReads } from './users.ts';

/** What a deletion keeps: the record, who the voters were, and what is on its way. */
const KEPT: readonly AnyTable[] = [
  activities,
  votes,
  proofs,
  audit,
  userVersions,
  outbox,
  sends,
  sendAttempts,
  gasReservations,
  archivedActivities,
  archivedVotes,
  archivedAudit,
  archivedSends,
  archivedSendAttempts,
  archivedFingerprints,
  deletedOrganizations,
];

/** What goes with an organization, keys first. Each has an index that begins with the organization. */
const SWEPT: readonly AnyTable[] = [
  secrets,
  ...Object.values<AnyTable>(tables).filter(
    (table) => 'organizationId' in table.model && ![...KEPT, secrets, users].includes(table),
  ),
];

const organizationId = sought(deletedOrganizations.model.organizationId);

/** PostgreSQL has no limit for what is deleted: by where the rows lie. */
const removals = SWEPT.map(({ name }) => ({
  sqlite: written<object>('sqlite')(`DELETE FROM "${name}" WHERE "organization_id" = ? LIMIT ?`, organizationId, int()),
  postgres: written<object>('postgres')(
    `DELETE FROM "${name}" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "${name}" WHERE "organization_id" = $1 LIMIT $2))`,
    organizationId,
    int(),
  ),
}));

const removeUser = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('users').where('organization_id', '=', p.org).where('id', '=', p.id),
);

/** A removed user costs as much as so many other rows: the version that votes show is written first. */
const ROWS_OF_A_USER = 10;

/** Rows that the deletion removes itself: nearly every sub-organization is gone with it. */
const AT_ONCE = 2_000;

/** Rows that one step of a sweep removes: some ten milliseconds on SQLite, whose one writer others wait for. */
const STEP = 500;

const get = statement((db, p: { org: string }) =>
  db.selectFrom('deleted_organizations').select(deletedOrganizations.all).where('organization_id', '=', p.org),
);
const next = statement((db) =>
  db
    .selectFrom('deleted_organizations')
    .select('organization_id')
    .where('unswept', '=', true)
    .orderBy('organization_id')
    .limit(1),
);
const unsweptNow = statement(
  (db, p: { org: string }) =>
    db
      .selectFrom('deleted_organizations')
      .select('organization_id')
      .where('organization_id', '=', p.org)
      .where('unswept', '=', true),
  'sqlite',
);
/** Another process waits for the step of this one. */
const heldUnswept = statement(
  (db, p: { org: string }) =>
    db
      .selectFrom('deleted_organizations')
      .select('organization_id')
      .where('organization_id', '=', p.org)
      .where('unswept', '=', true)
      .forUpdate(),
  'postgres',
);
const insert = statement((db, p: DeletedOrganization) =>
  db.insertInto('deleted_organizations').values(values(deletedOrganizations, p)),
);
const remove = statement((db, p: { org: string }) => db.deleteFrom('organizations').where('id', '=', p.org));
const setSwept = statement((db, p: { org: string }) =>
  db.updateTable('deleted_organizations').set({ unswept: false }).where('organization_id', '=', p.org),
);

export const deletedOrganizationReads = (conn: Conn) => ({
  async get(org: string): Promise<DeletedOrganization | undefined> {
    return get.first(conn, { org });
  },
  /** One of which rows are left. */
  async next(): Promise<string | undefined> {
    return (await next.first(conn, {}))?.organization_id;
  },
});

export const deletedOrganizationWrites = (conn: Conn, counts: Counts, versions: UserVersions) => {
  const organizations = organizationReads(conn);
  const people = userReads(conn);

  /** Each removes some rows, and returns how many. */
  type Step = (org: string, most: number, now: number) => Promise<number>;

  const removeUsers: Step = async (org, most, now) => {
    const some = await people.page(org, { limit: Math.ceil(most / ROWS_OF_A_USER) });
    for (const { id } of some) {
      await versions.before(org, id, now);
      await removeUser.run(conn, { org, id });
    }
    return some.length * ROWS_OF_A_USER;
  };
  const [removeKeys, ...removeOthers] = removals.map(
    (on): Step =>
      (org, most) =>
        on[conn.engine].run(conn, [org, most]),
  );
  // Users go before what the kept version shows of them.
  const steps = [removeKeys!, removeUsers, ...removeOthers];

  /** Removes about `most` rows. False if some may be left. */
  async function removeSome(org: string, most: number, now: number): Promise<boolean> {
    let left = most;
    for (const step of steps) {
      left -= await step(org, left, now);
      if (left <= 0) return false;
      await breathe(conn);
    }
    return true;
  }

  return {
    /**
     * Makes the organization unknown, with everything in it. What it has many of is removed later, by `sweep`. Its record stays.
     * Nothing may be added to it in the same transaction.
     */
    async add(org: string, now: number): Promise<void> {
      const organization = await organizations.get(org);
      if (organization === undefined) throw new Error(`no organization ${org}`);
      const { parentId, name, version, rootQuorum, createdAt } = organization;
      await remove.run(conn, { org });
      counts.forget(org);
      await insert.run(conn, {
        organizationId: org,
        parentId,
        name,
        version,
        rootQuorum,
        createdAt,
        deletedAt: now,
        unswept: true,
      });
      if (await removeSome(org, AT_ONCE, now)) await setSwept.run(conn, { org });
    },
    /** Removes some of what a deletion left. True if nothing is left. */
    async sweep(org: string, now: number): Promise<boolean> {
      const held = await (conn.engine === 'sqlite' ? unsweptNow : heldUnswept).first(conn, { org });
      if (held === undefined) return true;
      if (!(await removeSome(org, STEP, now))) return false;
      await setSwept.run(conn, { org });
      return true;
    },
  };
};
