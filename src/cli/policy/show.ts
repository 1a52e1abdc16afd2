import { shownValue } from '../../policy/index.ts';
import type { CaseResult, CheckResult } from './cases.ts';

type Problem = CheckResult['problems'][number];

export function problemData({ policy, error, part: ofProfile }: Problem) {
  const { part, message, hint, span } = error;
  return {
    policy,
    part: ofProfile ?? part,
    message,
    ...(hint === undefined ? {} : { hint }),
    line: span.line,
    column: span.column,
  };
}

/** The position of an error, its line, and a mark below it. */
export function problemText({ policy, error, source, part: ofProfile }: Problem, kind = ''): string {
  const { part, message, hint, span } = error;
  const line = source.split('\n')[span.line - 1] ?? '';
  const mark = '^'.repeat(Math.max(1, Math.min(span.end - span.start, line.length - span.column + 1)));
  return [
    `  ${kind}${policy}: ${ofProfile ?? part}, line ${span.line}, column ${span.column}: ${message}${hint === undefined ? '' : `; ${hint}`}`,
    `      ${line}`,
    `      ${' '.repeat(span.column - 1)}${mark}`,
  ].join('\n');
}

export function caseData({ name, wanted, got, passed, problem, byRootQuorum, reason, element, policies }: CaseResult) {
  return {
    name,
    wanted,
    got,
    passed,
    ...(problem === undefined ? {} : { problem }),
    ...(byRootQuorum === undefined ? {} : { byRootQuorum }),
    ...(reason === undefined ? {} : { reason }),
    ...(element === undefined ? {} : { element }),
    policies: policies.map(({ name: policy, effect, explained }) => ({
      name: policy,
      effect,
      outcome: explained.outcome,
      ...(explained.reason === undefined ? {} : { reason: explained.reason }),
      ...(explained.failed === undefined ? {} : { failedClause: clauseData(explained.failed) }),
      values: explained.values.map(({ part, path, value, message }) =>
        message === undefined ? { part, path, value: shownValue(value) } : { part, path, message },
      ),
    })),
  };
}

type Explained = CaseResult['policies'][number];
type Clause = NonNullable<Explained['explained']['failed']>;

function clauseData({ part, text, span, result, message }: Clause) {
  return { part, text, line: span.line, column: span.column, result, ...(message === undefined ? {} : { message }) };
}

/** One line for a case that passed; otherwise also the outcome of every policy and the reason. */
export function caseText(result: CaseResult): string {
  const { name, wanted, got, passed, problem, byRootQuorum, reason, element = 0, policies } = result;
  if (passed) return `  ok    ${name}: ${got}`;
  const lines = [`  FAIL  ${name}: wanted ${wanted}, got ${got}`];
  if (problem !== undefined) lines.push(`        ${problem}`);
  else if (reason !== undefined) lines.push(`        ${reason}`);
  else if (byRootQuorum) lines.push('        the approvers meet the root quorum: no policy is evaluated');
  else if (policies.length === 0) lines.push('        there are no policies');
  if (element > 0) lines.push(`        element ${element} of the batch decided`);
  return [...lines, ...policies.flatMap(explainedLines)].join('\n');
}

function explainedLines({ name, effect, explained }: Explained): string[] {
  const lines = [`        ${name} (${effect.slice('EFFECT_'.length)}): ${explained.outcome.slice('OUTCOME_'.length)}`];
  const { failed } = explained;
  if (failed === undefined) return lines;
  const { part, span, text, result, message } = failed;
  const place = `${part}, line ${span.line}, column ${span.column}`;
  const why = result === 'error' ? `cannot be evaluated: ${message ?? ''}` : 'is false';
  lines.push(`          ${place}: ${text.replaceAll(/\s+/g, ' ')} ${why}`);
  // Only values that this clause read.
  for (const value of explained.values) {
    if (value.part !== part || !text.includes(value.path) || value.message !== undefined) continue;
    lines.push(`            ${value.path.replaceAll(/\s+/g, ' ')} is ${shownValue(value.value)}`);
  }
  return lines;
}
