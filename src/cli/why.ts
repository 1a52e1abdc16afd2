import type { Reply } from './client.ts';
import { type ClientOptions, query } from './operations.ts';
import { printable } from './printable.ts';

type Clause = { part: string; text: string; line: number; column: number; result: string; message?: string };
type Evaluation = {
  policyId: string;
  outcome: string;
  reason?: string;
  policyName?: string;
  effect?: string;
  note?: string;
  failedClause?: Clause;
  values?: { part: string; path: string; value?: string; message?: string }[];
};
type Vote = { id: string; userId: string; selection: string; user: { userName: string } };
type Activity = {
  id: string;
  type: string;
  status: string;
  votes: Vote[];
  canApprove: boolean;
  canReject: boolean;
  failure?: { message: string };
};
type Method = { type: string; id?: string };
type Mfa = {
  mfaPolicyId: string;
  mfaPolicyName: string;
  userId: string;
  satisfied: boolean;
  missingMethods: { any: Method[] }[];
};
type Told = {
  activity: Activity;
  policyEvaluations: { voteId: string; policyEvaluations: Evaluation[] }[];
  /** Absent in answers of older services. */
  mfaStatuses?: Mfa[];
  warnings?: { code: string; text: string }[];
};

export type Why = { reply: Reply } | { told: Told };

/** The result of an activity, and of the policies at each vote. `reply`: the service's refusal. */
export async function why(activityId: string, options: ClientOptions): Promise<Why> {
  const asked = JSON.stringify({ activityId });
  const [activity, evaluations] = await Promise.all([
    query('get_activity', asked, options),
    query('get_policy_evaluations', asked, options),
  ]);
  for (const reply of [activity, evaluations]) if (reply.status >= 400) return { reply };
  return { told: { ...JSON.parse(activity.text), ...JSON.parse(evaluations.text) } as Told };
}

const short = (name: string): string => name.replace(/^(OUTCOME|EFFECT|VOTE_SELECTION|ACTIVITY_STATUS)_/, '');

function lines({ policyId, outcome, reason, policyName, effect, note, failedClause, values = [] }: Evaluation): string[] {
  const named = policyName === undefined ? policyId : `${policyName} (${short(effect ?? '')}, ${policyId})`;
  const told = [`    ${named}: ${short(outcome)}`];
  if (failedClause !== undefined) {
    const { part, line, column, text, result, message } = failedClause;
    const why = result === 'error' ? `cannot be evaluated: ${message ?? reason ?? ''}` : 'is false';
    told.push(`      ${part}, line ${line}, column ${column}: ${text.replaceAll(/\s+/g, ' ')} ${why}`);
    for (const value of values)
      if (value.part === part && text.includes(value.path) && value.value !== undefined)
        told.push(`        ${value.path.replaceAll(/\s+/g, ' ')} is ${value.value}`);
  } else if (reason !== undefined) told.push(`      ${reason}`);
  if (note !== undefined) told.push(`      no explanation: ${note}`);
  return told;
}

const shownMethod = ({ type, id }: Method): string =>
  `${type.replace('AUTHENTICATION_TYPE_', '')}${id === undefined ? '' : ` ${id}`}`;

/** The credentials that users must still stamp with before their votes count. */
function mfaLines(statuses: readonly Mfa[], votes: readonly Vote[]): string[] {
  return statuses
    .filter(({ satisfied }) => !satisfied)
    .flatMap(({ mfaPolicyId, mfaPolicyName, userId, missingMethods }) => {
      const name = votes.find((vote) => vote.userId === userId)?.user.userName;
      const whose = name === undefined ? userId : `${name} (${userId})`;
      return [
        `  MFA policy ${mfaPolicyName} (${mfaPolicyId}) waits for approvals of ${whose} by`,
        ...missingMethods.map(({ any }) => `    ${any.map(shownMethod).join(' or ')}`),
      ];
    });
}

/** A readable report: the result, then each vote with its policies, the relevant ones first. */
export function whyText({ activity, policyEvaluations, mfaStatuses = [], warnings = [] }: Told): string {
  const byVote = new Map(policyEvaluations.map((record) => [record.voteId, record.policyEvaluations]));
  const told = [`${activity.type} ${activity.id}: ${short(activity.status)}`];
  if (activity.failure !== undefined) told.push(`  ${activity.failure.message}`);
  for (const { code, text } of warnings) told.push(`  warning: ${code}: ${text}`);
  for (const vote of activity.votes) {
    told.push(`  ${short(vote.selection)} by ${vote.user.userName} (${vote.userId})`);
    const evaluations = byVote.get(vote.id) ?? [];
    if (evaluations.length === 0) told.push('    no policy was evaluated');
    const quiet = (e: Evaluation) => Number(e.outcome === 'OUTCOME_DENY_IMPLICIT');
    for (const evaluation of evaluations.toSorted((a, b) => quiet(a) - quiet(b))) told.push(...lines(evaluation));
  }
  told.push(...mfaLines(mfaStatuses, activity.votes));
  const may = [activity.canApprove && 'approve', activity.canReject && 'reject'].filter(Boolean).join(' or ');
  if (may !== '') told.push(`  You may ${may} it.`);
  return `${told.map(printable).join('\n')}\n`;
}
