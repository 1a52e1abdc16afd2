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

/** Stores a checked control. It starts at zero, whatever was counted under its identifier before. */
export async function addControl(ctx: Ctx, { name, identifier, dataSource, aggregation, countersign }: NewVelocityControl) {
  const { organization, store, limits, ids, now } = ctx;
  const have = await store.organizations.count(organization.id, 'velocityControlCount');
  requireRoom(have, 1, limits.velocityControls, 'velocity controls', 'LIMIT_VELOCITY_CONTROLS');
  await requireScope(ctx, countersign?.scope ?? {});
  const id = ids.next();
  const times = { createdAt: now, updatedAt: now };
  const what = { name, identifier, dataSource, aggregation, countersign: countersign ?? null };
  if (!(await store.velocityControls.insert({ organizationId: organization.id, id, ...what, ...times })))
    throw invalid('parameters.identifier', `must be unique: the organization has a control with the identifier ${identifier}`);
  return id;
}
addControl.errors = errorsOf('REQUEST_INVALID', 'NOT_FOUND', requireRoom);

const PAGE = 1000;

/** How many policies a refusal names. */
const NAMED = 10;

/** The ids of policies that read a control. */
async function policiesThatRead({ organization, store, policies }: Ctx, identifier: string): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await store.policyChanges.texts(organization.id, after, PAGE);
    for (const { id, condition } of page)
      if (condition.includes(identifier) && policies.controlsIn(condition).some(({ name }) => name === identifier))
        found.push(id);
    if (page.length < PAGE || found.length > NAMED) return found;
    after = page.at(-1)!.id;
  }
}

export async function removeControl(ctx: Ctx, id: string): Promise<void> {
  const { organization, store } = ctx;
  const control = await store.velocityControls.get(organization.id, id);
  const naming = control === undefined ? [] : await policiesThatRead(ctx, control.identifier);
  if (naming.length > 0) {
    const more = naming.length > NAMED ? ' and others' : '';
    throw invalid(
      'parameters.velocityControlId',
      `names a control that policies read: change or delete these first: ${naming.slice(0, NAMED).join(', ')}${more}`,
    );
  }
  if (!(await store.velocityControls.remove(organization.id, id)))
    throw new ApiError('NOT_FOUND', `velocity control not found: parameters.velocityControlId names ${id}`);
}
removeControl.errors = errorsOf('REQUEST_INVALID', 'NOT_FOUND');
