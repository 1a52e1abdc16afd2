import { analyse } from '../decide/compile.ts';
import { textKey } from '../evaluate/values.ts';
import type { Expr } from '../language/ast.ts';
import type { Facts } from '../language/checker.ts';
import type { Environment } from '../language/environment.ts';
import { policyError } from '../language/problem.ts';
import { rootsIn } from './expression-roots.ts';
import { laterProfiles, type Profile, profilesOfRow } from './profiles.ts';
import { reachOf, there } from './reach.ts';
import type { PolicyWarning } from './warning.ts';

const APPROVED = 'VOTE_SELECTION_APPROVED';

const kept = new WeakMap<Environment, readonly Profile[]>();

/** All that can be approved, as scopes see it then. */
function targetsOf(environment: Environment): readonly Profile[] {
  const known = kept.get(environment);
  if (known !== undefined) return known;
  const served = environment.activities.filter(({ votes }) => votes === undefined);
  const selection = ['vote.selection', new Set([textKey(APPROVED, 'plain')])] as const;
  const made = [...served.flatMap((row) => profilesOfRow(environment, row)), ...laterProfiles(environment)].map((profile) => ({
    ...profile,
    roots: new Set([...profile.roots, 'vote']),
    known: new Map([...profile.known, selection]),
  }));
  kept.set(environment, made);
  return made;
}

/** Warns of a scope that says something of approvals and lets none through. It has to allow APPROVE_ACTIVITY, and what is approved. */
export function approvesNothing(source: string, environment: Environment): PolicyWarning | undefined {
  const analysed = analyse(source, 'condition', environment, [], true);
  if (analysed === undefined) return undefined;
  const { expr, facts } = analysed;
  const votes = environment.activities.filter((row) => row.votes === APPROVED).flatMap((row) => profilesOfRow(environment, row));
  const asVote = mayHold(expr, facts, environment, votes);
  const asTarget = mayHold(expr, facts, environment, targetsOf(environment));
  const isAboutVotes = asVote || rootsIn(expr, facts).some(({ root }) => root === 'vote');
  if (!isAboutVotes || (asVote && asTarget)) return undefined;
  const message = `sessions of this profile can approve nothing: ${
    asVote
      ? 'the scope allows APPROVE_ACTIVITY, and no activity that it would approve'
      : 'the scope does not allow APPROVE_ACTIVITY'
  }`;
  const hint = asVote
    ? `add what they may approve, as in || (vote.selection == '${APPROVED}' && activity.kind == 'CREATE_WALLET')`
    : "add || activity.kind == 'APPROVE_ACTIVITY'";
  return { ...policyError('condition', source, { message, span: expr.span, hint }), text: source };
}

/** Whether the scope may hold for one of these. A clause that fails is false there, so that others of its `||` may still hold. */
function mayHold(expr: Expr, facts: Facts, environment: Environment, profiles: readonly Profile[]): boolean {
  const subject = { facts, environment, profiles };
  const holds = (part: Expr): bigint => {
    if (part.kind === 'and') return part.operands.map(holds).reduce((a, b) => a & b);
    if (part.kind === 'or') return part.operands.map(holds).reduce((a, b) => a | b);
    // Of `any` and `all` only the list is looked at: their predicate is a clause too.
    if (part.kind === 'method' && part.variable !== undefined && part.name !== 'filter')
      return there(reachOf(subject, part.object));
    return reachOf(subject, part).t;
  };
  return holds(expr) !== 0n;
}
