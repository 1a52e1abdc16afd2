import { ApiError } from '../base/errors.ts';
import type { Vote } from '../model/activity.ts';
import type { Organization } from '../model/organization.ts';

export type PolicyOutcome =
  | 'OUTCOME_ALLOW'
  | 'OUTCOME_DENY_EXPLICIT'
  | 'OUTCOME_DENY_IMPLICIT'
  | 'OUTCOME_REQUIRES_CONSENSUS'
  | 'OUTCOME_REJECTED';

export type Decision = { outcome: PolicyOutcome; policyEvaluations: { policyId: string; outcome: PolicyOutcome }[] };

export type Question = {
  organization: Organization;
  governedBy: 'policy' | 'root-quorum';
  /** Live votes, in order. */
  votes: readonly Vote[];
  /** Whose credentials the activity changes, if it changes nothing but one user's credentials. */
  ownCredentialsOf: string | undefined;
};

/** May this user approve or reject what waits in the organization? */
export function qualifies(organization: Organization, userId: string): boolean {
  return organization.rootQuorum.userIds.includes(userId);
}

/** The decision on an activity (authorization facts §1.9): pure, and made anew with every vote. */
export function decide({ organization, governedBy, votes, ownCredentialsOf }: Question): Decision {
  const root = organization.rootQuorum;
  const decision = (outcome: PolicyOutcome): Decision => ({ outcome, policyEvaluations: [] });
  if (votes.some((v) => v.selection === 'VOTE_SELECTION_REJECTED' && qualifies(organization, v.userId)))
    return decision('OUTCOME_REJECTED');
  const approvers = new Set<string>();
  for (const vote of votes) if (vote.selection === 'VOTE_SELECTION_APPROVED') approvers.add(vote.userId);
  let rootVotes = 0;
  for (const id of approvers) if (root.userIds.includes(id)) rootVotes++;
  if (rootVotes >= root.threshold) return decision('OUTCOME_ALLOW');
  if (governedBy === 'root-quorum')
    return decision(rootVotes === approvers.size ? 'OUTCOME_REQUIRES_CONSENSUS' : 'OUTCOME_DENY_IMPLICIT');
  if (rootVotes > 0) return decision('OUTCOME_REQUIRES_CONSENSUS');
  if (ownCredentialsOf !== undefined && approvers.size === 1 && approvers.has(ownCredentialsOf)) return decision('OUTCOME_ALLOW');
  return decision('OUTCOME_DENY_IMPLICIT');
}

/** The refusal that a denied activity is answered and stored with. */
export function denial(decision: Decision): ApiError {
  const denying = decision.policyEvaluations.filter((e) => e.outcome === 'OUTCOME_DENY_EXPLICIT').map((e) => e.policyId);
  const message =
    denying.length > 0
      ? `The following policies denied this action: ${denying.join(', ')}`
      : 'No policies evaluated to outcome: Allow';
  return new ApiError(
    'REQUEST_NOT_AUTHORIZED',
    `You don't have sufficient permissions to take this action. ${message}. A root user can add a policy that allows it. (request not authorized)`,
    { policy: { message, policyEvaluations: decision.policyEvaluations } },
  );
}
