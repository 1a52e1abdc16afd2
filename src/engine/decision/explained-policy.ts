import {
  type CompiledPolicy,
  type Environment,
  type Explanation,
  type PolicyWarning,
  shownValue,
  warnings,
} from '../../policy/index.ts';

/** How long one request replays activities, or explains policies. */
export const AT_MOST_MS = 1000;

/** How many policies one request explains. */
export const EXPLAINED = 200;

/** What one policy came to, and why. */
export type ExplainedPolicy = {
  policyId: string;
  policyName: string;
  effect: string;
  outcome: string;
  reason?: string;
  /** The first clause that is not true, and where it stands. */
  failedClause?: { part: string; text: string; line: number; column: number; result: string; message?: string };
  /** What the paths of the policy stood for. */
  values: { part: string; path: string; value?: string; message?: string }[];
  /** What of the policy can never be true, or always is, whatever is asked for. */
  warnings: Warning[];
};

export type Warning = { part: string; text: string; line: number; column: number; message: string; hint?: string };

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

/** What of a policy can never be true, or always is. */
export function warningsOf(policy: CompiledPolicy, environment: Environment): Warning[] {
  return warnings(policy, environment).map(shownWarning);
}
