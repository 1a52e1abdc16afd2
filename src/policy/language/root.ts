import type { Part } from './problem.ts';
import type { Type } from './types.ts';

/** A keyword that expressions start from. */
export type Root = {
  readonly keyword: string;
  readonly type: Type;
  /** The part of a policy that may use it. */
  readonly part: Part;
  /** Fields by which policies are found: text that tells many of them apart. */
  readonly indexed?: readonly string[];
};
