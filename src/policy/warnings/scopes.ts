import type { Analysed } from '../decide/compile.ts';
import { textKey } from '../evaluate/values.ts';
import type { Expr } from '../language/ast.ts';
import type { Environment } from '../language/environment.ts';
import type { Profile } from './profiles.ts';
import { reachOf, there } from './reach.ts';

export const APPROVED = 'VOTE_SELECTION_APPROVED';

const SELECTION = ['vote.selection', new Set([textKey(APPROVED, 'plain')])] as const;

/** An activity as scopes and MFA conditions see it when it is approved. */
export const approving = (profile: Profile): Profile => ({
  ...profile,
  roots: new Set([...profile.roots, 'vote']),
  known: new Map([...profile.known, SELECTION]),
});

/**
 * Whether a scope or an MFA condition may hold for one of these. An absent clause is false there, so other clauses of its `||`
 * may still hold.
 */
export function mayHold({ expr, facts }: Analysed, environment: Environment, profiles: readonly Profile[]): boolean {
  const subject = { facts, environment, profiles };
  const holds = (part: Expr): bigint => {
    if (part.kind === 'and') return part.operands.map(holds).reduce((a, b) => a & b);
    if (part.kind === 'or') return part.operands.map(holds).reduce((a, b) => a | b);
    // Of `any` and `all`, only the list is examined: their predicate is a clause too.
    if (part.kind === 'method' && part.variable !== undefined && part.name !== 'filter')
      return there(reachOf(subject, part.object));
    return reachOf(subject, part).t;
  };
  return holds(expr) !== 0n;
}
