import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { CheckContext, ExecuteContext, ReviewContext } from '../../engine/context.ts';
import { reviewPolicies } from '../../engine/decision/new-texts.ts';
import type { PolicyTexts } from '../../engine/policy-compiler.ts';
import type { Policy } from '../../model/policy.ts';
import type { PolicyParams } from '../../wire/policies.ts';
import { requireRoom } from '../limits/limits.ts';
import { requireControls } from '../velocity/names.ts';

type Ctx = ExecuteContext<'none'>;

const notUnique = (field: string) => invalid(field, 'policy label must be unique: the organization has a policy of this name');

/** Checks a new policy's expressions. `at`: its field in the request. */
export function checkPolicy(ctx: CheckContext, { effect, condition, consensus, time }: PolicyParams, at: string): void {
  ctx.policies.check({ effect, condition, consensus, time }, fieldsAt(at));
}
checkPolicy.errors = errorsOf('REQUEST_INVALID');

const fieldsAt = (at: string) => ({ condition: `${at}.condition`, consensus: `${at}.consensus`, time: `${at}.time` });

const CHANGED = { condition: 'parameters.policyCondition', consensus: 'parameters.policyConsensus', time: 'parameters.time' };

export function reviewNew(ctx: ReviewContext, policies: readonly PolicyParams[], fieldOf: (i: number) => string): Promise<void> {
  return reviewPolicies(
    ctx,
    policies.map((source, i) => ({ source, fields: fieldsAt(fieldOf(i)) })),
  );
}
reviewNew.errors = errorsOf('REQUEST_INVALID');

/** Reviews a change: the texts that differ from the stored ones. */
export async function reviewChange(ctx: ReviewContext, policyId: string, texts: PolicyTexts): Promise<void> {
  const stored = await ctx.read.policies.get(ctx.organization.id, policyId);
  if (stored === undefined) return;
  const changed = (part: keyof PolicyTexts) => (texts[part] === stored[part] ? undefined : texts[part]);
  const source = {
    effect: stored.effect,
    condition: changed('condition'),
    consensus: changed('consensus'),
    time: changed('time'),
  };
  await reviewPolicies(ctx, [{ source, fields: CHANGED }]);
}
reviewChange.errors = errorsOf('REQUEST_INVALID');

/** Checks the changed expressions of a policy, whatever its effect. */
export function checkChange(ctx: CheckContext, texts: PolicyTexts): void {
  ctx.policies.check({ effect: 'EFFECT_ALLOW', ...texts }, CHANGED);
}
checkChange.errors = errorsOf('REQUEST_INVALID');

/** Stores checked policies; returns their ids in order. `fieldOf`: the field of each in the request. */
export async function addPolicies(
  ctx: Ctx,
  policies: readonly PolicyParams[],
  fieldOf: (i: number) => string,
): Promise<string[]> {
  const { organization, store, limits } = ctx;
  const have = await store.organizations.count(organization.id, 'policyCount');
  requireRoom(have, policies.length, limits.policies, 'policies', 'LIMIT_POLICIES');
  const ids: string[] = [];
  for (const [i, params] of policies.entries()) {
    const { policyName, effect, condition = '', consensus = '', time = '', notes } = params;
    const at = fieldOf(i);
    const times = { createdAt: ctx.now, updatedAt: ctx.now };
    const policy: Policy = {
      organizationId: organization.id,
      id: ctx.ids.next(),
      name: policyName,
      effect,
      condition,
      consensus,
      time,
      notes,
      ...times,
    };
    await requireControls(ctx, condition, `${at}.condition`);
    if (!(await store.policies.insert(policy))) throw notUnique(`${at}.policyName`);
    if (condition === '' && consensus === '')
      ctx.log.warn(
        { organizationId: organization.id, policyId: policy.id, effect },
        'a policy without condition and consensus would apply to everything',
      );
    ids.push(policy.id);
  }
  await requireTextRoom(ctx);
  return ids;
}
addPolicies.errors = errorsOf('REQUEST_INVALID', requireRoom, requireControls);

/**
 * Called after the change: compiling takes time and memory in proportion to the text. A text no longer than `before` may stay.
 */
async function requireTextRoom({ organization, store, limits }: Ctx, before = 0): Promise<void> {
  const [limit, setting] =
    organization.parentId === null
      ? [limits.policyCharacters, 'LIMIT_POLICY_CHARACTERS']
      : [limits.policyCharactersOfSubOrganization, 'LIMIT_POLICY_CHARACTERS_OF_SUB_ORGANIZATION'];
  const characters = await store.organizations.count(organization.id, 'policyCharacters');
  if (characters > before) requireRoom(characters, 0, limit, 'characters in the expressions of its policies', setting);
}

export async function removePolicies(ctx: Ctx, ids: readonly string[], field: string): Promise<void> {
  for (const id of new Set(ids))
    if (!(await ctx.store.policies.remove(ctx.organization.id, id)))
      throw new ApiError('NOT_FOUND', `policy not found: ${field} names ${id}`);
}
removePolicies.errors = errorsOf('NOT_FOUND');

/** Stores a policy with checked changes. */
export async function changePolicy(ctx: Ctx, policy: Policy): Promise<void> {
  await requireControls(ctx, policy.condition, CHANGED.condition);
  const before = await ctx.store.organizations.count(ctx.organization.id, 'policyCharacters');
  if (!(await ctx.store.policies.update({ ...policy, updatedAt: ctx.now }))) throw notUnique('parameters.policyName');
  await requireTextRoom(ctx, before);
}
changePolicy.errors = errorsOf('REQUEST_INVALID', requireRoom, requireControls);
