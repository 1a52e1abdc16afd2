import { type Analysed, analyse } from '../decide/compile.ts';
import { childrenOf, type Expr } from '../language/ast.ts';
import type { Environment } from '../language/environment.ts';
import { policyError } from '../language/problem.ts';
import { rootsIn } from './expression-roots.ts';
import { pathOf, profilesOfRow } from './profiles.ts';
import { reachOf } from './reach.ts';
import { approving, mayHold } from './scopes.ts';
import type { PolicyWarning } from './warning.ts';

/** Each total: its path, and the path of one element that it adds up. */
type Total = { readonly root: string; readonly path: string; readonly each: string };

/**
 * Warns of a limit on each element of a batch that the elements together may exceed. `isScope`: the condition is not a
 * policy's, as in `analyse`.
 */
export function aboutTotals(source: string, environment: Environment, isScope = false): PolicyWarning[] {
  const totals = [...environment.roots.values()].flatMap(({ keyword, totals: declared }) =>
    Object.entries(declared?.paths ?? {}).map(([field, each]): Total => ({ root: keyword, path: `${keyword}.${field}`, each })),
  );
  const analysed = totals.length > 0 ? analyse(source, 'condition', environment, [], isScope) : undefined;
  if (analysed === undefined || !mayBeBatch(analysed, environment, isScope)) return [];
  const { expr, facts } = analysed;
  const read = new Set(rootsIn(expr, facts).map(({ root }) => root));
  return totals.flatMap(({ root, path, each }) => {
    const limit = read.has(root) ? undefined : limitOf(each, analysed, expr);
    if (limit === undefined) return [];
    const message = 'this limits each part of a batch, and their sum may exceed it';
    const error = policyError('condition', source, { message, span: limit.span, hint: `compare \`${path}\`` });
    return [{ ...error, text: source.slice(limit.span.start, limit.span.end) }];
  });
}

/** A comparison by size with this path. A comparison with 0 is fine: it holds for a sum if it holds for each part. */
function limitOf(path: string, analysed: Analysed, expr: Expr): Expr | undefined {
  if (expr.kind === 'compare' && ['<', '<=', '>', '>='].includes(expr.operator)) {
    const sides = [expr.left, expr.right];
    const isZero = sides.some((side) => side.kind === 'literal' && side.value === 0n);
    if (!isZero && sides.some((side) => pathOf(side, analysed.facts) === path)) return expr;
  }
  for (const child of childrenOf(expr)) {
    const found = limitOf(path, analysed, child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function mayBeBatch(analysed: Analysed, environment: Environment, isScope: boolean): boolean {
  const profiles = environment.activities.filter(({ batch }) => batch === true).flatMap((row) => profilesOfRow(environment, row));
  if (isScope) return mayHold(analysed, environment, [...profiles, ...profiles.map(approving)]);
  const { expr, facts } = analysed;
  return reachOf({ facts, environment, profiles }, expr).t !== 0n;
}
