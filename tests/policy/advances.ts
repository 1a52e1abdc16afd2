import type { Environment, Voter } from '../../src/policy/index.ts';
import type { Expr } from '../../src/policy/language/ast.ts';
import { evaluate } from './reference.ts';

/** Whether a voter advances a consensus, as section 11 of the document says it: with the reference evaluator, and not with the engine. */
export function advances(consensus: Expr, environment: Environment, voter: Voter, voters: readonly Voter[]): boolean {
  const others = voters.filter(({ user }) => user.id !== voter.user.id);
  return leavesOf(consensus).some((leaf) => {
    if (evaluate(leaf, environment, people([voter])) === true) return true;
    const count = countIn(leaf);
    if (count === undefined) return false;
    const [before, after] = [others, [...others, voter]].map((some) => numberOf(count, environment, people(some)));
    return before !== undefined && after !== undefined && after > before;
  });
}

const people = (voters: readonly Voter[]) => ({
  approvers: voters.map(({ user }) => user),
  credentials: voters.flatMap(({ credentials }) => credentials),
});

function leavesOf(expr: Expr): Expr[] {
  if (expr.kind === 'and' || expr.kind === 'or') return expr.operands.flatMap(leavesOf);
  return expr.kind === 'literal' || expr.kind === 'not' ? [] : [expr];
}

const isCount = (expr: Expr): boolean => (expr.kind === 'method' || expr.kind === 'member') && expr.name === 'count';

/** The count of a comparison that is true of larger counts, or of one. */
function countIn(leaf: Expr): Expr | undefined {
  if (leaf.kind !== 'compare') return undefined;
  const sides = { '>': [leaf.left], '>=': [leaf.left], '<': [leaf.right], '<=': [leaf.right], '==': [leaf.left, leaf.right] };
  return sides[leaf.operator as keyof typeof sides]?.find(isCount);
}

/** The number that an expression evaluates to, found by comparisons: the reference evaluator answers only yes or no. */
function numberOf(expr: Expr, environment: Environment, roots: ReturnType<typeof people>): number | undefined {
  const { span } = expr;
  for (let n = 0; n <= 100; n++) {
    const right: Expr = { kind: 'literal', value: BigInt(n), span };
    if (evaluate({ kind: 'compare', operator: '==', left: expr, right, span }, environment, roots) === true) return n;
  }
  return undefined;
}
