import { analyse } from '../decide/compile.ts';
import type { Environment } from '../language/environment.ts';
import { policyError } from '../language/problem.ts';
import { rootsIn } from './expression-roots.ts';
import { laterProfiles, type Profile, profilesOfRow } from './profiles.ts';
import { APPROVED, approving, mayHold } from './scopes.ts';
import type { PolicyWarning } from './warning.ts';

const kept = new WeakMap<Environment, readonly Profile[]>();

/** All activities that can be approved, as scopes then see them. */
function targetsOf(environment: Environment): readonly Profile[] {
  const known = kept.get(environment);
  if (known !== undefined) return known;
  const served = environment.activities.filter(({ votes }) => votes === undefined);
  const made = [...served.flatMap((row) => profilesOfRow(environment, row)), ...laterProfiles(environment)].map(approving);
  kept.set(environment, made);
  return made;
}

/**
 * Warns of a scope that mentions approvals but lets none through. It must allow both APPROVE_ACTIVITY and the approved
 * activity.
 */
export function approvesNothing(source: string, environment: Environment): PolicyWarning | undefined {
  const analysed = analyse(source, 'condition', environment, [], true);
  if (analysed === undefined) return undefined;
  const { expr, facts } = analysed;
  const votes = environment.activities.filter((row) => row.votes === APPROVED).flatMap((row) => profilesOfRow(environment, row));
  const asVote = mayHold(analysed, environment, votes);
  const asTarget = mayHold(analysed, environment, targetsOf(environment));
  const isAboutVotes = asVote || rootsIn(expr, facts).some(({ root }) => root === 'vote');
  if (!isAboutVotes || (asVote && asTarget)) return undefined;
  const message = `sessions of this profile cannot approve any activity: ${
    asVote ? 'the scope allows APPROVE_ACTIVITY, but no activity to approve' : 'the scope does not allow APPROVE_ACTIVITY'
  }`;
  const hint = asVote
    ? `add the activities to approve, as in || (vote.selection == '${APPROVED}' && activity.kind == 'CREATE_WALLET')`
    : "add || activity.kind == 'APPROVE_ACTIVITY'";
  return { ...policyError('condition', source, { message, span: expr.span, hint }), text: source };
}
