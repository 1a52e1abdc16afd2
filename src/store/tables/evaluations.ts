import { id, int, json } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

/** The outcomes of policies, for each vote that they were evaluated for. */
export const evaluations = table('evaluations', {
  organizationId: id(),
  activityId: id(),
  voteId: id(),
  id: id(),
  evaluations: json<readonly { policyId: string; outcome: string; reason?: string }[]>(),
  createdAt: int(),
});

export type Evaluation = ModelOf<typeof evaluations>;
