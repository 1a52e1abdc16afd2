import type { z } from 'zod';
import {
  type CompiledPolicy,
  type Environment,
  type Explanation,
  type PolicyWarning,
  shownValue,
  warnings,
} from '../../policy/index.ts';
import type { ExplainedPolicy as Shape, Warning as WarningShape } from '../../wire/explanations.ts';

/** How long one request replays activities or explains policies. */
export const AT_MOST_MS = 1000;

/** How many policies one request explains. */
export const EXPLAINED = 200;

export type ExplainedPolicy = z.output<typeof Shape>;
export type Warning = z.output<typeof WarningShape>;

export function shownExplanation({ failed, values }: Explanation): Pick<ExplainedPolicy, 'failedClause' | 'values'> {
  return {
    ...(failed && {
      failedClause: {
        part: failed.part,
        text: failed.text,
        line: failed.span.line,
        column: failed.span.column,
        result: failed.result,
        ...(failed.message === undefined ? {} : { message: failed.message }),
      },
    }),
    values: values.map(({ part, path, value, message }) => ({
      part,
      path,
      ...(value === undefined ? {} : { value: shownValue(value) }),
      ...(message === undefined ? {} : { message }),
    })),
  };
}

function shownWarning({ part, text, span, message, hint }: PolicyWarning): Warning {
  return { part, text, line: span.line, column: span.column, message, ...(hint === undefined ? {} : { hint }) };
}

/** Most policies have no warning, and finding that takes longer than to evaluate one. */
const withoutWarnings = new WeakMap<CompiledPolicy, Environment>();

/** The parts of a policy that are never true, or always true. */
export function warningsOf(policy: CompiledPolicy, environment: Environment): Warning[] {
  if (withoutWarnings.get(policy) === environment) return [];
  const found = warnings(policy, environment).map(shownWarning);
  if (found.length === 0) withoutWarnings.set(policy, environment);
  return found;
}
