import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import type { Reader } from '../../store/types.ts';

type Ctx = Pick<ExecuteContext<'none'>, 'organization' | 'policies'> & { store: Pick<Reader, 'velocityControls'> };

/** Throws REQUEST_INVALID with the place of each control that a condition reads and the organization lacks. `field`: of the condition. */
export async function requireControls({ store, organization, policies }: Ctx, condition: string, field: string): Promise<void> {
  if (!condition.includes('controls')) return;
  const violations: { field: string; description: string }[] = [];
  for (const { name, unknown } of policies.controlsIn(condition))
    if (!(await store.velocityControls.exists(organization.id, name))) violations.push({ field, description: unknown });
  if (violations.length > 0)
    throw new ApiError('REQUEST_INVALID', violations.map(({ description }) => description).join('; '), { violations });
}
requireControls.errors = errorsOf('REQUEST_INVALID');
