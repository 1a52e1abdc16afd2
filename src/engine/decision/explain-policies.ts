import { setImmediate } from 'node:timers/promises';
import { explain, type PolicyEvaluation, type PolicyIndex, policyIn, type Request, type Voter } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import type { Decisions } from './decisions.ts';
import { AT_MOST_MS, EXPLAINED, type ExplainedPolicy, shownExplanation, warningsOf } from './explained-policy.ts';

type Question = {
  /** Whose policies they are. */
  organizationId: string;
  index: PolicyIndex;
  evaluations: readonly PolicyEvaluation[];
  element: Request | undefined;
  voters: readonly Voter[];
  now: number;
};

/** The outcomes of policies with their reasons: at most 200, and the reasons of those for which there is time. */
export async function explainPolicies(decisions: Decisions, read: Reader, question: Question): Promise<ExplainedPolicy[]> {
  const { organizationId, index, evaluations, element, voters, now } = question;
  const shown = evaluations.slice(0, EXPLAINED);
  const named = await read.policies.byIds(
    organizationId,
    shown.map(({ policyId }) => policyId),
  );
  const known = new Map(named.map((policy) => [policy.id, policy]));
  const policies: ExplainedPolicy[] = [];
  const deadline = decisions.elapsed.now() + AT_MOST_MS;
  for (const evaluation of shown) {
    const stored = known.get(evaluation.policyId);
    const policy = policyIn(index, evaluation.policyId)?.policy;
    if (stored === undefined || policy === undefined || element === undefined) continue;
    // Yield to other requests.
    await setImmediate();
    const inTime = decisions.elapsed.now() < deadline;
    policies.push({
      policyId: stored.id,
      policyName: stored.name,
      effect: stored.effect,
      outcome: evaluation.outcome,
      ...(evaluation.reason === undefined ? {} : { reason: evaluation.reason }),
      ...(inTime ? shownExplanation(explain(policy, element, voters, now)) : { values: [] }),
      warnings: inTime ? warningsOf(policy, decisions.environment) : [],
    });
  }
  return policies;
}
