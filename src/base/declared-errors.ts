import type { ErrorCode } from './errors.ts';

/** A function that names the codes that it may throw: `addTags.errors = errorsOf('NOT_FOUND')`. */
type Declaring = { readonly errors: readonly ErrorCode[] };

/** A code, or a function whose codes are meant. */
export type Throws = ErrorCode | Declaring;

function codesOf(one: Throws): readonly ErrorCode[] {
  if (typeof one === 'string') return [one];
  // In a file, a function's codes are set after its declaration, so the order of such lines matters.
  if ((one.errors as unknown) === undefined) throw new Error(`declare the codes of ${String(one)} before they are used`);
  return one.errors;
}

/** All codes that these may throw, each once. */
export const errorsOf = (...thrown: readonly Throws[]): readonly ErrorCode[] => [...new Set(thrown.flatMap(codesOf))];
