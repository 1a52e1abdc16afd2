/** Why each vote was decided as it was: the policies, the clause that failed, and the values that it saw. */

import type { components } from '../../../openapi/client/public-api.d.ts';
import { visible } from '../../../review/visible.ts';
import { Failure } from '../parts/notice.tsx';
import { detailsIn } from '../service/errors.ts';
import { useRead } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import { denying, sorted } from './deciding.ts';

type Answer = components['schemas']['GetPolicyEvaluationsResponse'];
type Evaluation = Answer['policyEvaluations'][number]['policyEvaluations'][number];

const OUTCOMES: Readonly<Record<string, string>> = {
  OUTCOME_ALLOW: 'allows',
  OUTCOME_DENY_EXPLICIT: 'denies',
  OUTCOME_DENY_IMPLICIT: 'does not apply',
  OUTCOME_REQUIRES_CONSENSUS: 'waits for consensus',
  OUTCOME_REJECTED: 'rejects',
  OUTCOME_ERROR: 'failed',
};

const Clause = ({ clause }: { clause: NonNullable<Evaluation['failedClause']> }) => (
  <p>
    Not met in the {clause.part}, line {clause.line}: <mark>{visible(clause.text)}</mark>
    {clause.message && <span className="dim"> {visible(clause.message)}</span>}
  </p>
);

const Policy = ({ evaluation }: { evaluation: Evaluation }) => (
  <li className="policy">
    <p>
      <strong>{visible(evaluation.policyName ?? 'A policy that was deleted')}</strong>{' '}
      <span className="tag">{OUTCOMES[evaluation.outcome] ?? evaluation.outcome}</span>{' '}
      <code className="address dim">{evaluation.policyId}</code>
    </p>
    {evaluation.reason && <p>{visible(evaluation.reason)}</p>}
    {evaluation.note && <p className="dim">{visible(evaluation.note)}</p>}
    {evaluation.failedClause && <Clause clause={evaluation.failedClause} />}
    {evaluation.values && evaluation.values.length > 0 && (
      <dl className="facts every">
        {evaluation.values.map(({ part, path, value, message }) => (
          <div className="fact" key={`${part} ${path}`}>
            <dt>
              <code>{visible(path)}</code>
            </dt>
            <dd>
              <code className="address">{visible(value ?? message ?? '')}</code>
            </dd>
          </div>
        ))}
      </dl>
    )}
  </li>
);

const Policies = ({ evaluations }: { evaluations: readonly Evaluation[] }) => (
  <ul className="policies">
    {evaluations.map((evaluation) => (
      <Policy key={evaluation.policyId} evaluation={evaluation} />
    ))}
  </ul>
);

/** The deciding policies first. Others matter where none decided. */
function AtVote({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const { telling, others } = sorted(evaluations);
  return (
    <>
      {telling.length > 0 && <Policies evaluations={telling} />}
      {others.length > 0 && (
        <details open={telling.length === 0}>
          <summary>Policies that do not apply ({others.length})</summary>
          <Policies evaluations={others} />
        </details>
      )}
    </>
  );
}

/** Of an activity that policies refused: those that forbade it, by their names. */
export function RefusedBy({ activity }: { activity: Activity }) {
  const isRefused = activity.failure !== undefined && detailsIn(activity.failure).code === 'REQUEST_NOT_AUTHORIZED';
  const { data } = useRead<Answer>('get_policy_evaluations', { activityId: activity.id }, { enabled: isRefused });
  if (!isRefused || data === undefined) return null;
  return denying(data.policyEvaluations.map(({ policyEvaluations }) => policyEvaluations)).map(({ policyId, policyName }) => (
    <p key={policyId}>
      Refused by the policy <strong>{visible(policyName ?? policyId)}</strong> (DENY), as the service says.
    </p>
  ));
}

export function Decision({ activity }: { activity: Activity }) {
  const { data, error } = useRead<Answer>('get_policy_evaluations', { activityId: activity.id });
  if (error) return <Failure error={error} doing="Reading the decision" />;
  if (!data) return <p className="dim">Reading…</p>;
  const votes = data.policyEvaluations.filter(({ policyEvaluations }) => policyEvaluations.length > 0);
  if (votes.length === 0)
    return (
      <>
        <p>No policy’s outcome is on record.</p>
        {activity.failure && <p>It failed: {visible(activity.failure.message)}</p>}
      </>
    );
  return (
    <>
      <p className="tag">as the service says</p>
      {votes.map(({ id, voteId, policyEvaluations }, i) => (
        <section key={id}>
          <h2 className="part">Vote {i + 1}</h2>
          <p className="dim">{visible(activity.votes.find((vote) => vote.id === voteId)?.user.userName ?? '')}</p>
          <AtVote evaluations={policyEvaluations} />
        </section>
      ))}
    </>
  );
}
