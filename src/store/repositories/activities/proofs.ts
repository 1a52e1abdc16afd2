import type { Proof } from '../../../model/proof.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { proofs } from '../../tables/proofs.ts';

const ofOne = statement((db, p: { org: string; activity: string }) =>
  db
    .selectFrom('proofs')
    .select(proofs.all)
    .where('organization_id', '=', p.org)
    .where('activity_id', '=', p.activity)
    .orderBy('id'),
);
const ofSeveral = dynamic({}, (db, p: { org: string; ids: readonly string[] }) =>
  db.selectFrom('proofs').select(proofs.all).where('organization_id', '=', p.org).where('activity_id', 'in', p.ids).orderBy('id'),
);
const insert = statement((db, p: Proof) =>
  db
    .insertInto('proofs')
    .values(values(proofs, p))
    .onConflict((c) => c.columns(['organization_id', 'activity_id', 'approval_id', 'public_key']).doNothing()),
);

export const proofReads = (conn: Conn) => ({
  /** In the order of submission. */
  async ofActivity(org: string, activity: string): Promise<Proof[]> {
    return ofOne.all(conn, { org, activity });
  },
  async ofActivities(org: string, ids: readonly string[]): Promise<Map<string, Proof[]>> {
    if (ids.length === 0) return new Map();
    return Map.groupBy(await ofSeveral.all(conn, { org, ids }), ({ activityId }) => activityId);
  },
});

export const proofWrites = (conn: Conn) => ({
  /** False if this stamp was submitted before. */
  async insert(proof: Proof): Promise<boolean> {
    return (await insert.run(conn, proof)) === 1;
  },
});
