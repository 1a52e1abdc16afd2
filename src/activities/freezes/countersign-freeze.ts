import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireRoom } from '../../domain/limits/limits.ts';
import { requireFreezable, targetIn } from '../../domain/people/freezes.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { FREEZE_TOPIC } from '../../model/freeze.ts';
import { FreezeParams } from '../../wire/freezes.ts';
import { Reason } from '../../wire/sends.ts';

/** The public interface has no stop button. */
export const countersignFreeze = activity({
  kind: 'COUNTERSIGN_FREEZE',
  resource: 'FREEZE',
  action: 'CREATE',
  summary: 'Stop a user, a wallet, a private key or all keys of the organization until they are unfrozen',
  fences: true,
  params: v1(FreezeParams.extend({ reason: Reason, keepSends: z.boolean().optional() })),
  policyParams: {
    user_id: [STRING, ({ userId }) => userId],
    wallet_id: [STRING, ({ walletId }) => walletId],
    private_key_id: [STRING, ({ privateKeyId }) => privateKeyId],
  },
  result: { key: 'countersignFreezeResult', shape: z.object({}) },
  errors: [targetIn, requireFreezable, requireRoom],
  check({ intent }) {
    targetIn(intent, { id: '' });
  },
  async execute({ ctx, intent: { reason, keepSends: keepsSends = false, ...named } }) {
    const { organization, store, limits, activityId, submitter, now } = ctx;
    const { target, id } = targetIn(named, organization);
    await requireFreezable(store, organization, { target, id });
    if (await store.freezes.get(organization.id, id)) throw invalid('parameters', `names a ${target} that is frozen already`);
    const have = await store.organizations.count(organization.id, 'freezeCount');
    requireRoom(have, 1, limits.freezes, 'freezes', 'LIMIT_FREEZES');
    const made = { activityId, userId: submitter.user.id, reason, keepsSends, createdAt: now };
    await store.freezes.insert({ organizationId: organization.id, id, target, ...made });
    if (target === 'user') await store.users.update(organization.id, id, { frozen: true }, now);
    else if (!keepsSends) ctx.after({ topic: FREEZE_TOPIC, payload: { id } });
    return {};
  },
});
