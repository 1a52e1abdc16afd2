/** Cost limits. An expression beyond them is refused, or its evaluation fails; nothing hangs. */

/** UTF-16 code units of one expression. */
export const MAX_SOURCE_LENGTH = 16 * 1024;
/** Height of the syntax tree, and nesting of parentheses and brackets. */
export const MAX_DEPTH = 64;
/** Tree nodes evaluated plus list elements compared, for one expression and one request. */
export const MAX_STEPS = 100_000;
/** The same, for all expressions of all policies and all elements of one decision. */
export const MAX_DECISION_STEPS = 10_000_000;
/**
 * The same, for the conditions of all MFA policies of a user and all elements of one activity. Each list of activities
 * evaluates them.
 */
export const MAX_MFA_STEPS = 1_000_000;
/** The same, for the conditions of all velocity controls and all transfers of one activity. */
export const MAX_TRANSFER_STEPS = 1_000_000;
/** Problems reported per expression. */
export const MAX_PROBLEMS = 20;
/**
 * Policies of one element whose failures a decision explains. Applies if further policies cannot allow because a value that
 * they name could not be read.
 */
export const MAX_REASONS = 200;
/** Policies excluded by the index that a decision still lists. */
export const MAX_RULED_OUT_LISTED = 100;

export const INT_MIN = -(2n ** 127n);
export const INT_MAX = 2n ** 127n - 1n;
export const UINT_MAX = 2n ** 256n - 1n;
