import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { REMOVAL_TOPIC, type VelocityControl } from '../../model/velocity-control.ts';

type Ctx = ExecuteContext<'none'>;
type Policies = Pick<Ctx, 'store' | 'policies'> & { organization: { id: string } };

const FIELD = 'parameters.velocityControlId';
const PAGE = 1000;

/** How many policies a refusal names. */
const NAMED = 10;

/** The ids of policies that read a control. */
async function policiesThatRead({ organization, store, policies }: Policies, identifier: string): Promise<string[]> {
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

async function controlIn({ organization, store }: Ctx, id: string): Promise<VelocityControl> {
  const control = await store.velocityControls.get(organization.id, id);
  if (control === undefined) throw new ApiError('NOT_FOUND', `velocity control not found: ${FIELD} names ${id}`);
  return control;
}
controlIn.errors = errorsOf('NOT_FOUND');

const at = (ms: number): string => new Date(ms).toISOString();

/** Removes a control. One with a delay stays in force, and policies may read it, until the delay has passed. */
export async function removeControl(ctx: Ctx, id: string): Promise<void> {
  const { organization, store, now } = ctx;
  const { identifier, countersign, removesAt } = await controlIn(ctx, id);
  const isWaiting = removesAt !== null && removesAt > now;
  if (isWaiting)
    throw invalid(
      FIELD,
      `names a control that is removed at ${at(removesAt)} already: COUNTERSIGN_KEEP_VELOCITY_CONTROL keeps it`,
    );
  const delayMs = Number(countersign?.removalDelay ?? '0') * 1000;
  if (removesAt === null && delayMs > 0) {
    await store.velocityControls.setRemoval(organization.id, id, now + delayMs);
    return ctx.after({ topic: REMOVAL_TOPIC, payload: { id, removesAt: now + delayMs }, dueAt: now + delayMs });
  }
  const naming = await policiesThatRead(ctx, identifier);
  if (naming.length > 0) {
    const more = naming.length > NAMED ? ' and others' : '';
    const which = `${naming.slice(0, NAMED).join(', ')}${more}`;
    throw invalid(FIELD, `names a control that policies read: change or delete these first: ${which}`);
  }
  await store.velocityControls.remove(organization.id, id);
}
removeControl.errors = errorsOf('REQUEST_INVALID', controlIn);

/** Takes a removal back, until it has taken effect. */
export async function keepControl(ctx: Ctx, id: string): Promise<void> {
  const { removesAt } = await controlIn(ctx, id);
  if (removesAt === null) throw invalid(FIELD, 'names a control that is not being removed');
  await ctx.store.velocityControls.setRemoval(ctx.organization.id, id, null);
}
keepControl.errors = errorsOf('REQUEST_INVALID', controlIn);

/** How often it looks again while policies read the control: without it they would decide otherwise. */
const AGAIN_MS = 3_600_000;

/** A removal that was requested, and when it takes effect. */
export type Removal = { id: string; removesAt: number };

/** Removes a control whose delay has passed. Returns when to look again: policies that read it keep it, or the clock was set back. */
export async function removeDue(ctx: Policies & { now: number }, { id, removesAt }: Removal): Promise<number | undefined> {
  const { organization, store, now } = ctx;
  const control = await store.velocityControls.get(organization.id, id);
  // It was kept. If it was deleted once more, that has a message of its own.
  if (control?.removesAt !== removesAt) return undefined;
  if (control.removesAt > now) return control.removesAt;
  if ((await policiesThatRead(ctx, control.identifier)).length > 0) return now + AGAIN_MS;
  await store.velocityControls.remove(organization.id, id);
  return undefined;
}
