import type { Policy } from '../../../model/policy.ts';
import { type Conn, statement } from '../../statement.ts';
import { type ModelOf, values } from '../../table.ts';
import { policyChanges } from '../../tables/policy-changes.ts';

/** The fields that a policy is compiled from. */
export type PolicyText = Pick<Policy, 'id' | 'effect' | 'condition' | 'consensus' | 'time'>;

/** A policy that a version changed, in its current state. `text` is undefined if the policy was removed. */
export type PolicyChange = { version: number; policyId: string; text: PolicyText | undefined };

/** The number of kept versions. A process that is further behind reads all policies. */
const KEPT_VERSIONS = 1000;

const insert = statement((db, p: ModelOf<typeof policyChanges>) =>
  db.insertInto('policy_changes').values(values(policyChanges, p)),
);
const forget = statement((db, p: { org: string; upTo: number }) =>
  db.deleteFrom('policy_changes').where('organization_id', '=', p.org).where('version', '<=', p.upTo),
);
/** One statement, so that the changes and the policies are from one moment on PostgreSQL too. */
const since = statement((db, p: { org: string; version: number; limit: number }) =>
  db
    .selectFrom('policy_changes as c')
    .leftJoin('policies as p', (join) =>
      join.onRef('p.organization_id', '=', 'c.organization_id').onRef('p.id', '=', 'c.policy_id'),
    )
    .select(['c.version', 'c.policy_id as policyId', 'p.effect', 'p.condition', 'p.consensus', 'p.time'])
    .where('c.organization_id', '=', p.org)
    .where('c.version', '>', p.version)
    .orderBy('c.version')
    .orderBy('c.policy_id')
    .limit(p.limit),
);

const text = ['id', 'effect', 'condition', 'consensus', 'time'] as const;
const firstTexts = statement((db, p: { org: string; limit: number }) =>
  db.selectFrom('policies').select(text).where('organization_id', '=', p.org).orderBy('id').limit(p.limit),
);
const nextTexts = statement((db, p: { org: string; after: string; limit: number }) =>
  db
    .selectFrom('policies')
    .select(text)
    .where('organization_id', '=', p.org)
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit),
);

export const policyChangeReads = (conn: Conn) => ({
  /** A page of the fields that policies are compiled from, in the order of ids. */
  async texts(org: string, after: string | undefined, limit: number): Promise<PolicyText[]> {
    return after === undefined ? firstTexts.all(conn, { org, limit }) : nextTexts.all(conn, { org, after, limit });
  },
  /** At most `limit` changes by versions above this one, in their order. Undefined if some of them are no longer kept. */
  async since(org: string, version: number, limit: number): Promise<PolicyChange[] | undefined> {
    const rows = await since.all(conn, { org, version, limit });
    // Every version has a change, and the oldest changes are deleted first.
    if (rows[0]?.version !== version + 1) return undefined;
    return rows.map(({ version, policyId, effect, condition, consensus, time }) => ({
      version,
      policyId,
      text: effect === null ? undefined : ({ id: policyId, effect, condition, consensus, time } as PolicyText),
    }));
  },
});

/** Called in the transaction that changed the policies, after it has raised their version to this one. */
export async function notePolicyChanges(conn: Conn, org: string, version: number, ids: ReadonlySet<string>): Promise<void> {
  for (const policyId of ids) await insert.run(conn, { organizationId: org, version, policyId });
  await forget.run(conn, { org, upTo: version - KEPT_VERSIONS });
}
