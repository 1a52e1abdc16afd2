import { type Conn, statement } from '../statement.ts';
import type { PolicyOutcome } from '../tables/activities.ts';

/** What policies came to at one vote. */
export type Evaluation = { voteId: string; id: string; evaluations: readonly PolicyOutcome[]; createdAt: number };

const ofActivity = statement((db, p: { org: string; activity: string }) =>
  db
    .selectFrom('activities')
    .select(['vote_id as voteId', 'evaluations', 'created_at as createdAt'])
    .where('organization_id', '=', p.org)
    .where('id', '=', p.activity)
    .where('evaluations', 'is not', null)
    .unionAll(
      db
        .selectFrom('votes')
        .select(['id as voteId', 'evaluations', 'created_at as createdAt'])
        .where('organization_id', '=', p.org)
        .where('activity_id', '=', p.activity)
        .where('evaluations', 'is not', null),
    ),
);

export const evaluationReads = (conn: Conn) => ({
  /** Of the votes for which policies were evaluated. */
  async ofActivity(org: string, activity: string): Promise<Evaluation[]> {
    const rows = await ofActivity.all(conn, { org, activity });
    return rows.map(({ voteId, evaluations, createdAt }) => ({ voteId, id: voteId, ...evaluations!, createdAt }));
  },
});
