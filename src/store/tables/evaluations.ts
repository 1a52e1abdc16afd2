import { int, json, text } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

/** What policies came to, for each vote that they were asked about. */
export const evaluations = table('evaluations', {
  organizationId: text(),
  activityId: text(),
  voteId: text(),
  id: text(),
  evaluations: json<readonly { policyId: string; outcome: string; reason?: string }[]>(),
  createdAt: int(),
});

export type Evaluation = ModelOf<typeof evaluations>;
