import { setImmediate } from 'node:timers/promises';
import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import {
  approvesNothing,
  type CompiledPolicy,
  compilePolicy,
  type Environment,
  formatExpressionError,
  leavesOutFee,
  leavesUnread,
  literalWarnings,
  MAX_PROBLEMS,
  type Part,
  type PolicySource,
  type PolicyWarning,
  transferEnvironment,
  warnings,
} from '../../policy/index.ts';
import type { ReviewContext } from '../context.ts';

/** How many characters of one request are checked for warnings. Each thousand takes some milliseconds. */
const LOOKED_AT = 65_536;

/** Where a text is in the request, and its name in messages. */
type Field = { field: string; what: string };
type Found = Field & { warning: PolicyWarning };

export type NewPolicyTexts = { source: PolicySource; fields: Readonly<Record<Part, string>> };

/**
 * Reviews the new texts of policies that compile. Throws REQUEST_INVALID for names that are near a known one. Gives the
 * warnings of `policy check`, except those that need other policies.
 */
export async function reviewPolicies({ environment, warn }: ReviewContext, policies: readonly NewPolicyTexts[]): Promise<void> {
  const literals: Found[] = [];
  for (const [i, { source, fields }] of policies.entries()) {
    // Other requests are answered meanwhile.
    if (i > 0) await setImmediate();
    for (const part of ['condition', 'consensus', 'time'] as const)
      literals.push(...literalsIn(source[part] ?? '', part, environment, { field: fields[part], what: `policy ${part}` }));
  }
  refuseMisspelt(literals);
  let left = LOOKED_AT;
  for (const [i, { source, fields }] of policies.entries()) {
    if (i > 0) await setImmediate();
    const compiled = compilePolicy(source, environment);
    if (!compiled.ok) continue;
    left -= charactersOf(compiled.policy);
    if (left < 0) {
      warn('POLICY_WARNINGS_CUT', `only the first ${LOOKED_AT} characters of a request are checked for warnings`);
      return;
    }
    for (const warning of warnings(compiled.policy, environment)) tell(warn, { field: fields[warning.part], what: '', warning });
  }
}

/** The same for the scope of a session profile. */
export function reviewScope(ctx: ReviewContext, scope: string, field: string): void {
  reviewCondition(ctx, scope, field, 'scope');
  const warning = approvesNothing(scope, ctx.environment);
  if (warning !== undefined) tell(ctx.warn, { field, what: 'scope', warning });
}
reviewScope.errors = errorsOf('REQUEST_INVALID');

/** The same for the condition of an MFA policy of a user. `id`: of a policy that is changed. */
export async function reviewMfaCondition(ctx: ReviewContext, text: string, field: string, userId: string, id?: string) {
  reviewCondition(ctx, text, field, 'condition');
  const all = await ctx.read.mfaPolicies.listByUser(ctx.organization.id, userId);
  const others = all.filter((policy) => policy.id !== id).map(({ condition }) => condition);
  const warning = leavesUnread(text, ctx.environment, others);
  if (warning !== undefined) tell(ctx.warn, { field, what: 'condition', warning });
}
reviewMfaCondition.errors = errorsOf('REQUEST_INVALID');

type Reviewing = Pick<ReviewContext, 'environment' | 'warn'>;

/** The same for the condition of a velocity control. */
export function reviewTransferCondition({ environment, warn }: Reviewing, text: string, field: string): void {
  reviewCondition({ environment: transferEnvironment(environment), warn }, text, field, 'condition of a velocity control');
}
reviewTransferCondition.errors = errorsOf('REQUEST_INVALID');

/** Whether such a condition lets no fee count. */
export const countsNoFee = ({ environment }: Pick<Reviewing, 'environment'>, text: string): boolean =>
  leavesOutFee(text, transferEnvironment(environment));

function reviewCondition({ environment, warn }: Reviewing, text: string, field: string, what: string): void {
  const found = literalsIn(text, 'condition', environment, { field, what });
  refuseMisspelt(found);
  for (const one of found) tell(warn, one);
}

function charactersOf({ source }: CompiledPolicy): number {
  return source.condition.length + source.consensus.length + source.time.length;
}

function literalsIn(text: string, part: Part, environment: Environment, where: Field): Found[] {
  return literalWarnings(text, part, environment).map((warning) => ({ ...where, warning }));
}

function refuseMisspelt(found: readonly Found[]): void {
  const misspelt = found.filter(({ warning }) => warning.unknown?.near !== undefined).slice(0, MAX_PROBLEMS);
  if (misspelt.length === 0) return;
  const violations = misspelt.map(({ field, what, warning }) => ({ field, description: formatExpressionError(warning, what) }));
  throw new ApiError('REQUEST_INVALID', violations.map((v) => v.description).join('; '), { violations });
}

function tell(warn: ReviewContext['warn'], { field, warning }: Found): void {
  const { span, message, hint, unknown } = warning;
  const text = `${field}, line ${span.line}, column ${span.column}: ${message}${hint === undefined ? '' : `; ${hint}`}`;
  warn(unknown === undefined ? 'POLICY_SUSPICIOUS' : 'POLICY_NAME_UNKNOWN', text);
}
