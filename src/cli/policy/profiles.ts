import { policyEnvironment as environment } from '../../app/policy-environment.ts';
import { approvesNothing, compileCondition, literalWarnings } from '../../policy/index.ts';
import type { CheckResult } from './cases.ts';
import type { NamedScope } from './file.ts';

/**
 * Adds the problems and warnings of session profiles' scopes to a result. The service refuses the same problems, and gives the same
 * warnings.
 */
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
