/** What only the service knows: the decision so far, and whose approval would count. It is marked as such. */
import { visible } from '../../../review/visible.ts';
import { sorted } from '../activities/deciding.ts';
import { Failure } from '../parts/notice.tsx';
import { Ago, millisecondsOf } from '../parts/time.tsx';
import type { Factors } from '../service/factors.ts';
import { useRead } from '../service/read.ts';
import type { Activity } from '../service/types.ts';
import { useSession } from '../session/state.ts';
import { approversOf, type Completer, type Voting } from './approvers.ts';
import { MissingFactors } from './factors.tsx';

type Policy = { policyId: string; policyName: string; outcome: string; reason?: string };

/** The answer of review_activity, as far as it is shown. */
type Said = Voting & {
  verdict?: {
    outcome: string;
    rootQuorumMet: boolean;
    reason?: string;
    policies: Policy[];
    mfaStatuses: Factors[];
    warnings?: { code: string; text: string }[];
  };
  more: boolean;
  approvalsLapseAt?: { seconds: string; nanos: string };
  pendingFor: { canApprove: boolean; canReject: boolean; completes: boolean };
};

const WORDS: Readonly<Record<string, string>> = {
  OUTCOME_ALLOW: 'allows it',
  OUTCOME_DENY_EXPLICIT: 'denies it',
  OUTCOME_REQUIRES_CONSENSUS: 'asks for more approvals',
  OUTCOME_REJECTED: 'rejects it',
  OUTCOME_ERROR: 'cannot be evaluated',
};

const namesOf = (users: readonly Completer[]): string =>
  users
    .map(
      ({ userName, userId, again }) => `${visible(userName) || userId}${again ? ' (an earlier approval no longer counts)' : ''}`,
    )
    .join(', ');

function Completers({ said }: { said: Said }) {
  const { userId: own } = useSession();
  const { completing, helping } = approversOf(said, own);
  const { more, pendingFor } = said;
  return (
    <div className="fact">
      <dt>Whose approval counts</dt>
      <dd>
        {pendingFor.completes && <p>Your approval would complete it.</p>}
        {pendingFor.canApprove && !pendingFor.completes && <p>Your approval counts, and others must approve too.</p>}
        {completing.length > 0 && <p>One of these would complete it: {namesOf(completing)}</p>}
        {helping.length > 0 && <p>These count, and others must approve too: {namesOf(helping)}</p>}
        {completing.length + helping.length === 0 && <p>No other user.</p>}
        {more && <p>There may be further ones.</p>}
      </dd>
    </div>
  );
}

const Policies = ({ policies }: { policies: readonly Policy[] }) => (
  <div className="fact">
    <dt>Policies</dt>
    <dd>
      {policies.map(({ policyId, policyName, outcome, reason }) => (
        <p key={policyId}>
          <strong>{visible(policyName)}</strong> {WORDS[outcome] ?? outcome} <code className="address dim">{policyId}</code>
          {reason && <span className="dim"> {visible(reason)}</span>}
        </p>
      ))}
    </dd>
  </div>
);

export function ServiceSays({ activity }: { activity: Activity }) {
  const { data, error } = useRead<Said>('review_activity', { activityId: activity.id });
  if (error) return <Failure error={error} doing="Asking the service about the decision" />;
  if (data?.verdict === undefined) return null;
  const { verdict, approvalsLapseAt } = data;
  const { telling: policies } = sorted(verdict.policies);
  return (
    <section>
      <h2 className="part">
        Decision <span className="tag">as the service says</span>
      </h2>
      <dl className="facts">
        {verdict.reason && (
          <div className="fact">
            <dt>Now</dt>
            <dd>{visible(verdict.reason)}</dd>
          </div>
        )}
        {verdict.warnings?.map(({ code, text }) => (
          <div className="fact" key={code + text}>
            <dt>Warning</dt>
            <dd>{visible(text)}</dd>
          </div>
        ))}
        <MissingFactors said={data} votes={activity.votes} />
        {policies.length > 0 && <Policies policies={policies} />}
        <Completers said={data} />
        {approvalsLapseAt && (
          <div className="fact">
            <dt>Approvals lapse</dt>
            <dd>
              <Ago ms={millisecondsOf(approvalsLapseAt)} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
