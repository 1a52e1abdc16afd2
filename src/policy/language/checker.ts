import type { Expr, Span } from './ast.ts';
import type { Environment } from './environment.ts';
import { MAX_PROBLEMS } from './limits.ts';
import type { Part, Problem } from './problem.ts';
import type { Type } from './types.ts';

/** The checker's results for a node. */
export type NodeFact = {
  readonly type: Type;
  /** The keyword, if the node is a root. */
  readonly root?: string;
  /** The slot of a bound variable: set on the variable and on the method that binds it. */
  readonly slot?: number;
  /** The parsed value of a constructor's literals. */
  readonly constant?: unknown;
};

export type Facts = ReadonlyMap<Expr, NodeFact>;
/** State shared by the rules of the type checker. */
export type Checker = {
  readonly part: Part;
  /** The expression is not part of a policy. */
  readonly isScope: boolean;
  readonly environment: Environment;
  readonly facts: Map<Expr, NodeFact>;
  readonly problems: Problem[];
};

/** Records a problem. Returns undefined, the type of an invalid node. */
export function refuse(c: Checker, message: string, span: Span, hint?: string): undefined {
  if (c.problems.length < MAX_PROBLEMS) c.problems.push(hint === undefined ? { message, span } : { message, span, hint });
  return undefined;
}
