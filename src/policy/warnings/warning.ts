import type { PolicyError } from '../language/problem.ts';

/**
 * A valid expression that is probably not intended: it is always true or never. `text` is its source. `unknown`: it is a name
 * that a closed list does not have. `near` is the name of the list that was most likely meant.
 */
export type PolicyWarning = PolicyError & { readonly text: string; readonly unknown?: { readonly near: string | undefined } };
