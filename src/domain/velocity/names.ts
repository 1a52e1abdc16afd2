import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { formatPolicyError, type PolicySource } from '../../policy/index.ts';

type Ctx = Pick<ExecuteContext<'none'>, 'store' | 'organization' | 'policies'>;

/** Throws REQUEST_INVALID with the place of each control that a condition reads and the organization lacks. `field`: of the condition. */
export async function requireControls(
  { store, organization, policies }: Ctx,
  { effect, condition = '' }: PolicySource,
  field: string,
): Promise<void> {
  if (!condition.includes('controls')) return;
  const violations: { field: string; description: string }[] = [];
  for (const { name, span } of policies.compile({ effect, condition })?.controls ?? []) {
    if (await store.velocityControls.exists(organization.id, name)) continue;
    const message = `there is no velocity control \`${name}\``;
    const hint = 'create it with CREATE_VELOCITY_CONTROL first';
    violations.push({ field, description: formatPolicyError({ part: 'condition', message, span, hint }) });
  }
  if (violations.length > 0)
    throw new ApiError('REQUEST_INVALID', violations.map(({ description }) => description).join('; '), { violations });
}
requireControls.errors = errorsOf('REQUEST_INVALID');
