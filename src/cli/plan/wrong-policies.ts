import { problemText } from '../policy/show.ts';
import type { WantedPolicy } from './files.ts';
import type { PolicyChange } from './policies.ts';

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
