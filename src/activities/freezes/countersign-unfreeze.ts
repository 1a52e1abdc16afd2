import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { endFreeze, targetIn } from '../../domain/people/freezes.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { FreezeParams } from '../../wire/freezes.ts';
import { Reason } from '../../wire/sends.ts';

/** A frozen user neither submits nor approves it, also not before the freeze: no user takes part in unfreezing themselves. */
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
  errors: [targetIn, 'NOT_FOUND', 'REQUEST_NOT_AUTHORIZED'],
  check({ intent }) {
    targetIn(intent, { id: '' });
  },
  async execute({ ctx, intent }) {
    const { organization, store, submitter, now } = ctx;
    const { target, id } = targetIn(intent, organization);
    if (id === submitter.user.id)
      throw new ApiError('REQUEST_NOT_AUTHORIZED', 'request not authorized: another user must submit the unfreezing of a user');
    if (!(await endFreeze(store, organization.id, { target, id }, now)))
      throw new ApiError('NOT_FOUND', `no freeze found of ${target} ${id}`);
    return {};
  },
});
