import { type Conn, statement } from '../../statement.ts';
import type { StoredOutcome } from '../../tables/activities.ts';

/** The outcomes of policies at one vote. */
export type Evaluation = { voteId: string; id: string; evaluations: readonly StoredOutcome[]; more?: number; createdAt: number };

/** Archive tables have the same columns. */
const evaluationsFrom = (activities: 'activities' | 'archived_activities', votes: 'votes' | 'archived_votes') =>
  statement((db, p: { org: string; activity: string }) =>
    db
      .selectFrom(activities as 'activities')
      .select(['vote_id as voteId', 'evaluations', 'created_at as createdAt'])
      .where('organization_id', '=', p.org)
      .where('id', '=', p.activity)
      .where('evaluations', 'is not', null)
      .unionAll(
        db
          .selectFrom(votes as 'votes')
          .select(['id as voteId', 'evaluations', 'created_at as createdAt'])
          .where('organization_id', '=', p.org)
          .where('activity_id', '=', p.activity)
          .where('evaluations', 'is not', null),
      ),
  );
const present = evaluationsFrom('activities', 'votes');
const archived = evaluationsFrom('archived_activities', 'archived_votes');

export const evaluationReads = (conn: Conn) => ({
  /** The evaluations of all votes for which policies were evaluated. */
  async ofActivity(org: string, activity: string): Promise<Evaluation[]> {
    const found = await present.all(conn, { org, activity });
    const rows = found.length > 0 || !conn.archive ? found : await archived.all(conn.archive, { org, activity });
    return rows.map(({ voteId, evaluations, createdAt }) => ({ voteId, id: voteId, ...evaluations!, createdAt }));
  },
});
