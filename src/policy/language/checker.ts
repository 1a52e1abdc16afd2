import type { Expr, Span } from './ast.ts';
import type { Environment } from './environment.ts';
import { MAX_PROBLEMS } from './limits.ts';
import type { Part, Problem } from './problem.ts';
import type { Type } from './types.ts';

/** What the checker found out about a node. */
export type NodeFact = {
  readonly type: Type;
  /** The keyword, if the node is a root. */
  readonly root?: string;
  /** The place of the value of a bound variable: on the variable, and on the method that binds it. */
  readonly slot?: number;
  /** What a constructor's literals were read as. */
  readonly constant?: unknown;
};

export type Facts = ReadonlyMap<Expr, NodeFact>;
/** What the rules of the type checker share. */
export type Checker = {
  readonly part: Part;
  readonly environment: Environment;
  readonly facts: Map<Expr, NodeFact>;
  readonly problems: Problem[];
};

/** Records a problem. It gives undefined, which stands for the type of what is wrong. */
export function refuse(c: Checker, message: string, span: Span, hint?: string): undefined {
  if (c.problems.length < MAX_PROBLEMS) c.problems.push(hint === undefined ? { message, span } : { message, span, hint });
  return undefined;
}
