import { problemText } from '../policy/show.ts';
import type { WantedPolicy } from './files.ts';
import type { PolicyChange } from './policies.ts';
import type { LiveControl } from './state.ts';

/** Checks the texts that would change, as the service will. */
export async function wrongPolicies(wanted: readonly WantedPolicy[], changes: readonly PolicyChange[]): Promise<string[]> {
  const changed = new Set(changes.filter(({ after, isDecisive }) => after && isDecisive).map(({ name }) => name));
  const some = wanted.filter(({ name }) => changed.has(name));
  if (some.length === 0) return [];
  const { checkPolicies } = await import('../policy/cases.ts');
  const sources = some.map(({ name, effect, condition, consensus, time }) => ({
    name,
    source: { effect, condition, consensus, time },
  }));
  const places = new Map(some.map((one) => [one.name, one.place]));
  return checkPolicies(sources).problems.map(
    (problem) => `${places.get(problem.policy)!([problem.error.part])}:${problemText(problem)}`,
  );
}

/** Pruned controls that policies read at the end: the service does not remove them. */
export async function wrongReaders(
  pruned: readonly LiveControl[],
  policies: readonly { name: string; condition: string }[],
): Promise<string[]> {
  const some = policies.filter(({ condition }) => pruned.some(({ identifier }) => condition.includes(identifier)));
  if (some.length === 0) return [];
  const { checkPolicies } = await import('../policy/cases.ts');
  const sources = some.map(({ name, condition }) => ({ name, source: { effect: 'EFFECT_ALLOW' as const, condition } }));
  const checked = checkPolicies(sources).policies;
  return pruned.flatMap(({ identifier }) => {
    const reader = checked.find(({ policy }) => policy.controls.some(({ name }) => name === identifier));
    return reader === undefined ? [] : [`the control "${identifier}" cannot be deleted: the policy "${reader.name}" reads it`];
  });
}
