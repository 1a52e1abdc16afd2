import { ApiError } from '../../base/errors.ts';
import { type PolicyEvaluation, saysAbsent } from '../../policy/index.ts';
import type { Decision } from './authorize.ts';
import { named, namedIds } from './named.ts';

/** How many failed policies a denial names, and the length of each reason. */
const FAILED_SHOWN = 3;
const LONGEST_REASON = 300;

function failureText({ policyId, reason = '' }: PolicyEvaluation): string {
  const why = reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason;
  return `Policy ${policyId} could not be evaluated: ${why.replace(/\.$/, '')}.`;
}

/**
 * The failures that may have caused this denial. A failure on a value that the activity does not have comes last: it is rarely
 * the reason.
 */
function failuresBehind(denied: boolean, evaluations: readonly PolicyEvaluation[]): string[] {
  const outcome = denied ? 'OUTCOME_DENY_EXPLICIT' : 'OUTCOME_ERROR';
  const failed = evaluations.filter((e) => e.outcome === outcome && e.reason !== undefined);
  const last = ({ reason }: PolicyEvaluation) => Number(saysAbsent(reason!));
  return failed
    .toSorted((a, b) => last(a) - last(b))
    .slice(0, FAILED_SHOWN)
    .map(failureText);
}

/** The error that a denied activity is answered and stored with, and the decision behind it. */
export class Denial extends ApiError {
  readonly decision: Decision;

  constructor(decision: Decision) {
    const { builtIn, denyingPolicyIds, rootQuorumOnly } = decision;
    const denied = denyingPolicyIds.length > 0;
    const message =
      builtIn ??
      (denied
        ? `The following policies denied this action: ${namedIds(denyingPolicyIds)}`
        : 'No policies evaluated to outcome: Allow');
    const policyEvaluations = named(decision.policyEvaluations).map(({ policyId, outcome }) => ({ policyId, outcome }));
    const broken = failuresBehind(denied, decision.policyEvaluations)
      .map((text) => ` ${text}`)
      .join('');
    const grantable = builtIn === undefined && !denied && rootQuorumOnly !== true;
    const hint = grantable
      ? ' A root user can add a policy that allows it.'
      : rootQuorumOnly
        ? ' Only the root quorum may approve it.'
        : '';
    super(
      'REQUEST_NOT_AUTHORIZED',
      `You don't have sufficient permissions to take this action. ${message}.${broken}${hint} (request not authorized)`,
      { policy: { message, policyEvaluations } },
    );
    this.decision = decision;
  }
}
