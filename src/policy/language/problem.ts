import type { Span } from './ast.ts';

/** A problem in an expression, and its place. `hint` suggests a correction. */
export type Problem = { readonly message: string; readonly span: Span; readonly hint?: string };

export type Part = 'condition' | 'consensus' | 'time';

/** A place in a source text: offsets in UTF-16 code units, line and column counted from 1. */
export type Place = { readonly start: number; readonly end: number; readonly line: number; readonly column: number };

export type PolicyError = {
  readonly part: Part;
  readonly message: string;
  readonly span: Place;
  readonly hint?: string;
};

export function placeOf(source: string, span: Span): Place {
  let line = 1;
  let lineStart = 0;
  for (let at = source.indexOf('\n'); at !== -1 && at < span.start; at = source.indexOf('\n', at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return { start: span.start, end: span.end, line, column: span.start - lineStart + 1 };
}

export function policyError(part: Part, source: string, problem: Problem): PolicyError {
  const error = { part, message: problem.message, span: placeOf(source, problem.span) };
  return problem.hint === undefined ? error : { ...error, hint: problem.hint };
}

/** One readable line, used in the message of a refused policy. */
export const formatPolicyError = (error: PolicyError): string => formatExpressionError(error, `policy ${error.part}`);

/** The same for another expression. `what`: its name. */
export function formatExpressionError(error: PolicyError, what: string): string {
  const hint = error.hint === undefined ? '' : `; ${error.hint}`;
  const { line, column } = error.span;
  return `invalid ${what}: Expression cannot be evaluated: ${error.message} (line ${line}, column ${column})${hint}`;
}
