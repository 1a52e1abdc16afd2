import { sql } from 'kysely';
import type { ActivityStatus } from '../../../model/activity.ts';
import { AUDIT_PLACE } from '../../../model/audit-fact.ts';
import { list, sought } from '../../columns.ts';
import type { Builder } from '../../schema.ts';
import { type Conn, statement, written as writtenSql } from '../../statement.ts';
import { signers } from '../../tables/signers.ts';
import { instanceReads } from '../service/instance.ts';
import { endOfNext, firstAfter, type Place } from './next-positions.ts';

/** A longer body or result is read by itself. */
const SHORT = 65_536;

/** An activity whose facts may be new. `body` and `result` are null where one of them is long. */
export type ToAudit = {
  organizationId: string;
  id: string;
  type: string;
  status: ActivityStatus;
  version: number;
  userId: string;
  credentialId: string;
  createdAt: number;
  updatedAt: number;
  body: Buffer | null;
  result: string | null;
};

/** A vote after the submitter's. */
export type Voted = { organizationId: string; activityId: string; userId: string; credentialId: string };

type Range = { from: number; to: number };

const isShort = sql`octet_length(body) + octet_length(result) <= ${sql.lit(SHORT)}`;

const activitiesIn = (db: Builder) =>
  db
    .selectFrom('activities')
    .select([
      'activities.organization_id as organizationId',
      'activities.id',
      'type',
      'status',
      'version',
      'user_id as userId',
      'activities.credential_id as credentialId',
      'activities.created_at as createdAt',
      'updated_at as updatedAt',
      sql<Buffer | null>`CASE WHEN ${isShort} THEN body END`.as('body'),
      sql<string | null>`CASE WHEN ${isShort} THEN result END`.as('result'),
    ]);

const written = statement((db, p: Range) =>
  activitiesIn(db).where('activities.position', '>', p.from).where('activities.position', '<=', p.to),
);
const changed = statement((db, p: Range) =>
  activitiesIn(db)
    .innerJoin('audit', (join) =>
      join.onRef('audit.organization_id', '=', 'activities.organization_id').onRef('audit.activity_id', '=', 'activities.id'),
    )
    .where('audit.position', '>', p.from)
    .where('audit.position', '<=', p.to),
);
const voted = statement((db, p: { org: string; activity: string }) =>
  db
    .selectFrom('audit')
    .select([
      'organization_id as organizationId',
      'activity_id as activityId',
      'actor_user_id as userId',
      'credential_id as credentialId',
    ])
    .where('organization_id', '=', p.org)
    .where('activity_id', '=', p.activity)
    .where('event', 'in', ['vote.approved', 'vote.rejected']),
);

type Signing = { organizationId: string; address: string };
type OfWallet = { organizationId: string; address: string; walletId: string };

const walletOf = statement(
  (db, p: Signing) =>
    db
      .selectFrom('signers')
      .select(['organization_id as organizationId', 'address', 'wallet_id as walletId'])
      .where('organization_id', '=', p.organizationId)
      .where('address', '=', p.address)
      .where('wallet_id', 'is not', null),
  'sqlite',
);
const [orgs, addresses] = [list(sought(signers.model.organizationId)), list(signers.model.address)];
const walletsOf = writtenSql<OfWallet>('postgres')(
  `SELECT s.organization_id AS "organizationId", s.address, s.wallet_id AS "walletId"
FROM unnest($1::${orgs.postgres.type}, $2::${addresses.postgres.type}) AS q(org, wanted)
JOIN signers s ON s.organization_id = q.org AND s.address = q.wanted WHERE s.wallet_id IS NOT NULL`,
  orgs,
  addresses,
);

async function walletsOfSigners(conn: Conn, asked: readonly Signing[]): Promise<OfWallet[]> {
  if (asked.length === 0) return [];
  if (conn.engine === 'postgres')
    return walletsOf.all(conn, [asked.map((one) => one.organizationId), asked.map((one) => one.address)]);
  const found: OfWallet[] = [];
  for (const one of asked) found.push(...((await walletOf.all(conn, one)) as OfWallet[]));
  return found;
}

/** How far the facts of activities are written, of all organizations: for the worker and the operator. */
export const auditingReads = (conn: Conn) => {
  async function place(): Promise<Place> {
    const text = await instanceReads(conn).get(AUDIT_PLACE);
    return text === undefined ? { activities: 0, audit: 0 } : JSON.parse(text);
  }
  return {
    /** Up to where facts are written. */
    place,
    /** Where the next rows behind a place end: at most about `most`. Undefined if there are none, or others must commit first. */
    async endOfNext(place: Place, most: number): Promise<Place | undefined> {
      return endOfNext(conn, place, most);
    },
    /** The activities that were written or changed between two places, each once. */
    async between(from: Place, to: Place): Promise<ToAudit[]> {
      const found = new Map<string, ToAudit>();
      for (const activity of [
        ...(await written.all(conn, { from: from.activities, to: to.activities })),
        ...(await changed.all(conn, { from: from.audit, to: to.audit })),
      ])
        found.set(`${activity.organizationId} ${activity.id}`, activity);
      return [...found.values()];
    },
    /** The votes on an activity after the submitter's. */
    async votedOn(org: string, activity: string): Promise<Voted[]> {
      return voted.all(conn, { org, activity });
    },
    /** The wallets whose accounts have these addresses, by organization and address. */
    async walletsOf(asked: readonly Signing[]): Promise<Map<string, string[]>> {
      const each = [...new Map(asked.map((one) => [`${one.organizationId} ${one.address}`, one])).values()];
      const found = Map.groupBy(
        await walletsOfSigners(conn, each),
        ({ organizationId, address }) => `${organizationId} ${address}`,
      );
      return new Map([...found].map(([key, rows]) => [key, rows.map(({ walletId }) => walletId)]));
    },
    /** When the first row behind the place was written. */
    async notAuditedSince(): Promise<number | undefined> {
      return firstAfter(conn, await place());
    },
  };
};
