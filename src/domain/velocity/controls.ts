import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import type { NewVelocityControl } from '../../wire/velocity-controls.ts';
import { requireRoom } from '../limits/limits.ts';

type Ctx = ExecuteContext<'none'>;
type Scope = NonNullable<NonNullable<NewVelocityControl['countersign']>['scope']>;

/** A scope that names what does not exist would limit nothing. */
async function requireScope({ organization: { id: org }, store }: Ctx, scope: Scope): Promise<void> {
  const found: Readonly<Record<keyof Scope, (id: string) => Promise<unknown>>> = {
    walletIds: (id) => store.wallets.get(org, id),
    privateKeyIds: (id) => store.privateKeys.get(org, id),
    userIds: (id) => store.users.get(org, id),
    userTagIds: (id) => store.tags.get(org, 'user', id),
  };
  for (const member of Object.keys(found) as (keyof Scope)[])
    for (const id of new Set(scope[member]))
      if ((await found[member](id)) === undefined)
        throw new ApiError('NOT_FOUND', `not found: parameters.countersign.scope.${member} names ${id}`);
}

const PAGE = 1000;

/** Characters of all conditions of an organization. They are compiled together, when its controls are read after a change. */
const MOST_CONDITIONS = 200_000;

/** Refuses a condition that would make reading the controls slow. */
async function requireRoomForCondition({ organization: { id: org }, store }: Ctx, condition: string): Promise<void> {
  let have = condition.length;
  let after: string | undefined;
  for (;;) {
    const page = await store.velocityControls.page(org, { limit: PAGE, after });
    for (const { countersign } of page) have += countersign?.condition?.length ?? 0;
    if (have > MOST_CONDITIONS)
      throw new ApiError(
        'LIMIT_EXCEEDED',
        `the conditions of an organization's velocity controls may have ${MOST_CONDITIONS} characters together: delete some, or write shorter ones`,
      );
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}
requireRoomForCondition.errors = errorsOf('LIMIT_EXCEEDED');

/** Stores a checked control. It starts at zero, whatever was counted under its identifier before. */
export async function addControl(ctx: Ctx, { name, identifier, dataSource, aggregation, countersign }: NewVelocityControl) {
  const { organization, store, limits, ids, now } = ctx;
  const have = await store.organizations.count(organization.id, 'velocityControlCount');
  requireRoom(have, 1, limits.velocityControls, 'velocity controls', 'LIMIT_VELOCITY_CONTROLS');
  if (countersign?.condition !== undefined) await requireRoomForCondition(ctx, countersign.condition);
  await requireScope(ctx, countersign?.scope ?? {});
  const id = ids.next();
  const times = { removesAt: null, fullSince: null, createdAt: now, updatedAt: now };
  const what = { name, identifier, dataSource, aggregation, countersign: countersign ?? null };
  if (!(await store.velocityControls.insert({ organizationId: organization.id, id, ...what, ...times })))
    throw invalid('parameters.identifier', `must be unique: the organization has a control with the identifier ${identifier}`);
  return id;
}
addControl.errors = errorsOf('REQUEST_INVALID', 'NOT_FOUND', requireRoom, requireRoomForCondition);
