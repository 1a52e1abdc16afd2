import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';

/** What policies came to when one vote was cast. */
export type Evaluation = {
  organizationId: string;
  activityId: string;
  voteId: string;
  id: string;
  evaluations: readonly { policyId: string; outcome: string; reason?: string }[];
  createdAt: number;
};

type Row = Schema['evaluations'];

const ofActivity = statement((db, p: { org: string; activity: string }) =>
  db
    .selectFrom('evaluations')
    .selectAll()
    .where('organization_id', '=', p.org)
    .where('activity_id', '=', p.activity)
    .orderBy('vote_id'),
);
export const insertEvaluations = statement((db, p: Row) =>
  db.insertInto('evaluations').values({
    organization_id: p.organization_id,
    activity_id: p.activity_id,
    vote_id: p.vote_id,
    id: p.id,
    evaluations: p.evaluations,
    created_at: p.created_at,
  }),
);

export const evaluationReads = (conn: Conn) => ({
  async ofActivity(org: string, activity: string): Promise<Evaluation[]> {
    return (await ofActivity.all(conn, { org, activity })).map((row) => ({
      organizationId: row.organization_id,
      activityId: row.activity_id,
      voteId: row.vote_id,
      id: row.id,
      evaluations: JSON.parse(row.evaluations) as Evaluation['evaluations'],
      createdAt: row.created_at,
    }));
  },
});

export const evaluationWrites = (conn: Conn) => ({
  async insert(e: Evaluation): Promise<void> {
    await insertEvaluations.run(conn, {
      organization_id: e.organizationId,
      activity_id: e.activityId,
      vote_id: e.voteId,
      id: e.id,
      evaluations: JSON.stringify(e.evaluations),
      created_at: e.createdAt,
    });
  },
});
