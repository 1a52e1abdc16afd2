import type { Part } from './problem.ts';
import type { Type } from './types.ts';

/** A keyword that expressions start from. */
export type Root = {
  readonly keyword: string;
  readonly type: Type;
  /** The part of a policy that may use it. */
  readonly part: Part;
  /** Only scopes and MFA conditions may use it, not policies. */
  readonly scopesOnly?: true;
  /** Only policies may use it. */
  readonly policiesOnly?: true;
  /** Indexed fields: texts that distinguish many policies. */
  readonly indexed?: readonly string[];
  /** Present together with the root `of`. Each field is the sum of a path of that root over the whole batch. */
  readonly totals?: { readonly of: string; readonly paths: Readonly<Record<string, string>> };
};
