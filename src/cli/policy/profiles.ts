import { policyEnvironment as environment } from '../../app/policy-environment.ts';
import { approvesNothing, compileCondition, literalWarnings } from '../../policy/index.ts';
import type { CheckResult } from './cases.ts';
import type { NamedScope } from './file.ts';

/** Adds to a result what is wrong with the scopes of session profiles. The service refuses what is a problem, and warns of the same. */
export function checkProfiles(profiles: readonly NamedScope[], { problems, warnings }: Omit<CheckResult, 'policies'>): void {
  for (const { name: policy, scope: source } of profiles) {
    const shown = { policy, source, part: 'scope' } as const;
    const compiled = compileCondition(source, environment, 'lenient');
    if (!compiled.ok) {
      problems.push(...compiled.errors.map((error) => ({ ...shown, error })));
      continue;
    }
    for (const error of literalWarnings(source, 'condition', environment))
      (error.unknown?.near === undefined ? warnings : problems).push({ ...shown, error });
    const error = approvesNothing(source, environment);
    if (error !== undefined) warnings.push({ ...shown, error });
  }
}
