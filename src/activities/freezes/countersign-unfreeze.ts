import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { targetIn } from '../../domain/people/freezes.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { FreezeParams } from '../../wire/freezes.ts';
import { Reason } from '../../wire/sends.ts';

/** A frozen user neither submits nor approves it, so that nobody unfreezes themselves. */
export const countersignUnfreeze = activity({
  kind: 'COUNTERSIGN_UNFREEZE',
  resource: 'FREEZE',
  action: 'DELETE',
  summary: 'End a freeze. A frozen user takes no part in it',
  params: v1(FreezeParams.extend({ reason: Reason })),
  policyParams: {
    user_id: [STRING, ({ userId }) => userId],
    wallet_id: [STRING, ({ walletId }) => walletId],
    private_key_id: [STRING, ({ privateKeyId }) => privateKeyId],
  },
  result: { key: 'countersignUnfreezeResult', shape: z.object({}) },
  errors: [targetIn, 'NOT_FOUND'],
  check({ intent }) {
    targetIn(intent, { id: '' });
  },
  async execute({ ctx, intent }) {
    const { organization, store, now } = ctx;
    const { target, id } = targetIn(intent, organization);
    if (!(await store.freezes.remove(organization.id, id))) throw new ApiError('NOT_FOUND', `no freeze found of ${target} ${id}`);
    if (target === 'user') await store.users.update(organization.id, id, { frozen: false }, now);
    return {};
  },
});
