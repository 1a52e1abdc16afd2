import { type Conn, statement } from '../statement.ts';
import { values } from '../table.ts';
import { type Evaluation, evaluations } from '../tables/evaluations.ts';

const ofActivity = statement((db, p: { org: string; activity: string }) =>
  db
    .selectFrom('evaluations')
    .select(evaluations.all)
    .where('organization_id', '=', p.org)
    .where('activity_id', '=', p.activity)
    .orderBy('vote_id'),
);
export const insertEvaluations = statement((db, p: Evaluation) => db.insertInto('evaluations').values(values(evaluations, p)));

export const evaluationReads = (conn: Conn) => ({
  async ofActivity(org: string, activity: string): Promise<Evaluation[]> {
    return ofActivity.all(conn, { org, activity });
  },
});

export const evaluationWrites = (conn: Conn) => ({
  async insert(evaluation: Evaluation): Promise<void> {
    await insertEvaluations.run(conn, evaluation);
  },
});
