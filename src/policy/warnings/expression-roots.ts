import { childrenOf, type Expr, type Span } from '../language/ast.ts';
import type { Facts } from '../language/checker.ts';

/** The roots that an expression reads, in order. */
export function rootsIn(expr: Expr, facts: Facts): { readonly root: string; readonly span: Span }[] {
  const root = facts.get(expr)?.root;
  if (root !== undefined) return [{ root, span: expr.span }];
  return childrenOf(expr).flatMap((child) => rootsIn(child, facts));
}
