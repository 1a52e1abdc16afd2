import { int, sought } from '../../columns.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { type AnyTable, values } from '../../table.ts';
import { activities, votes } from '../../tables/activities.ts';
import { appProofs } from '../../tables/app-proofs.ts';
import {
  archivedActivities,
  archivedAudit,
  archivedFingerprints,
  archivedSendAttempts,
  archivedSends,
  archivedVotes,
} from '../../tables/archived.ts';
import { audit } from '../../tables/audit.ts';
import { type DeletedOrganization, deletedOrganizations } from '../../tables/deleted-organizations.ts';
import { gasReservations } from '../../tables/gas.ts';
import { tables } from '../../tables/index.ts';
import { outbox } from '../../tables/outbox.ts';
import { proofs } from '../../tables/proofs.ts';
import { sendAttempts, sends } from '../../tables/sends.ts';
import { secrets } from '../../tables/signers.ts';
import { users, userVersions } from '../../tables/users.ts';
import { webhookEvents } from '../../tables/webhook-events.ts';
import { yieldThread } from '../../yield-thread.ts';
import type { Upkeep } from '../upkeep.ts';
import { organizationReads } from './organizations.ts';
import { userReads } from './users.ts';

/** Rows that a deletion keeps: the organization's record, the voters, and messages, sends and events in progress. */
const KEPT: readonly AnyTable[] = [
  activities,
  votes,
  proofs,
  appProofs,
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
  webhookEvents,
];

/** Tables whose rows are removed with an organization, keys first. Each has an index that begins with the organization. */
const SWEPT: readonly AnyTable[] = [
  secrets,
  ...Object.values<AnyTable>(tables).filter(
    (table) => 'organizationId' in table.model && ![...KEPT, secrets, users].includes(table),
  ),
];

const organizationId = sought(deletedOrganizations.model.organizationId);

/** PostgreSQL has no LIMIT for DELETE, so rows are selected by their physical place (ctid). */
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

/** A removed user costs as much as this number of other rows: the user's version for votes is written first. */
const ROWS_OF_A_USER = 10;

/** Maximum number of rows that the deletion itself removes. This covers nearly every sub-organization completely. */
const AT_ONCE = 2_000;

/**
 * Maximum number of rows that one step of a sweep removes. It takes some ten milliseconds on SQLite, where other writes wait for the
 * one writer.
 */
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
/** Locks the row: another process waits until this one has finished its step. */
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
  /** An organization with rows left to remove. */
  async next(): Promise<string | undefined> {
    return (await next.first(conn, {}))?.organization_id;
  },
});

export const deletedOrganizationWrites = (conn: Conn, { counts, versions }: Upkeep) => {
  const organizations = organizationReads(conn);
  const people = userReads(conn);

  /** Each step removes some rows, and returns how many. */
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
  // Users are removed before the rows of their visible state, because the removal of a user first stores that state.
  const steps = [removeKeys!, removeUsers, ...removeOthers];

  /** Removes about `most` rows. False if rows may be left. */
  async function removeSome(org: string, most: number, now: number): Promise<boolean> {
    let left = most;
    for (const step of steps) {
      left -= await step(org, left, now);
      if (left <= 0) return false;
      await yieldThread(conn);
    }
    return true;
  }

  return {
    /**
     * Makes the organization unknown, with everything in it. `sweep` removes large numbers of rows later. The organization's record
     * stays. Nothing may be added to it in the same transaction.
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
    /** Removes some of the rows that a deletion left. True if no rows are left. */
    async sweep(org: string, now: number): Promise<boolean> {
      const held = await (conn.engine === 'sqlite' ? unsweptNow : heldUnswept).first(conn, { org });
      if (held === undefined) return true;
      if (!(await removeSome(org, STEP, now))) return false;
      await setSwept.run(conn, { org });
      return true;
    },
  };
};
