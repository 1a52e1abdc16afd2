import { newestType } from '../operations.ts';
import type { CheckResult } from '../policy/cases.ts';
import type { LivePolicy, LiveUser, Texts } from './state.ts';
import type { Step } from './step.ts';

type Policies = ReadonlyMap<string, Texts>;

/** Whether the caller may send each request while these policies are in force, as the service decides. Undefined: it cannot be told here. */
async function rights(policies: Policies, steps: readonly Step[], { id, name, email, tagIds }: LiveUser) {
  const { checkPolicies, runCases } = await import('../policy/cases.ts');
  const sources = [...policies].map(([policy, { effect, ...texts }]) => ({
    name: policy,
    source: { effect: effect as 'EFFECT_ALLOW' | 'EFFECT_DENY', ...texts },
  }));
  const credentials = [{ id: '', type: 'CREDENTIAL_TYPE_API_KEY_P256', credential_id: '', public_key: '' }];
  const cases = steps.map(({ operation, parameters }, i) => ({
    name: String(i),
    activity: { type: newestType(operation), parameters: parameters as Record<string, unknown> },
    approvers: [{ id, alias: name, email, tags: [...tagIds], credentials }],
    root: { threshold: 1, userIds: [] },
    roots: {},
    wanted: 'ALLOW' as const,
  }));
  const checked: CheckResult = checkPolicies(sources);
  const results = await runCases({ cases }, checked, Date.now());
  return results.map(({ got }) => (got === 'ERROR' ? undefined : !got.startsWith('DENY')));
}

function after(policies: Policies, { writes }: Step): Policies {
  const changed = new Map(policies);
  for (const { name, texts } of writes)
    if (texts === undefined) changed.delete(name);
    else changed.set(name, texts);
  return changed;
}

const numbered = (all: readonly number[]): string =>
  `${all.length === 1 ? 'request' : 'requests'} ${all.map((i) => i + 1).join(', ')}`;

/** The caller may take the own right away, but not before the last request that needs it, and not unnoticed. */
export async function ownRight(
  steps: readonly Step[],
  live: readonly LivePolicy[],
  caller: LiveUser | undefined,
): Promise<{ wrong: string[]; notes: string[] }> {
  if (caller === undefined || !steps.some(({ writes }) => writes.length > 0)) return { wrong: [], notes: [] };
  let policies: Policies = new Map(
    live.map(({ name, effect, condition, consensus, time }) => [name, { effect, condition, consensus, time }]),
  );
  const before = await rights(policies, steps, caller);
  for (const [i, one] of steps.entries()) {
    if (one.writes.length === 0) continue;
    policies = after(policies, one);
    const isLast = !steps.slice(i + 1).some(({ writes }) => writes.length > 0);
    const now = await rights(policies, isLast ? steps : steps.slice(i + 1), caller);
    const first = isLast ? 0 : i + 1;
    const lost = now.flatMap((may, at) => (may === false && before[first + at] === true ? [first + at] : []));
    const later = lost.filter((at) => at > i);
    if (later.length > 0)
      return {
        wrong: [
          `request ${i + 1} (${one.title}) would take from the caller the right to ${numbered(later)}: use the credentials of another user`,
        ],
        notes: [],
      };
    if (isLast && lost.length > 0)
      return { wrong: [], notes: [`The caller loses the right to ${numbered(lost)}, and could not take this plan back.`] };
  }
  return { wrong: [], notes: [] };
}
