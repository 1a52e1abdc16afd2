import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const disablePrivateKey = activity({
  kind: 'DISABLE_PRIVATE_KEY',
  resource: 'PRIVATE_KEY',
  action: 'DELETE',
  summary: 'Disable a private key: it never signs again, but can still be exported and deleted',
  params: v1(z.object({ privateKeyId: Id })),
  result: { key: 'disablePrivateKeyResult', shape: z.object({ privateKeyId: IdOut }) },
  errors: ['NOT_FOUND'],
  async execute({ ctx, intent: { privateKeyId } }) {
    if (!(await ctx.store.privateKeys.get(ctx.organization.id, privateKeyId)))
      throw new ApiError('NOT_FOUND', `private key not found: parameters.privateKeyId names ${privateKeyId}`);
    await ctx.store.signers.disable(ctx.organization.id, privateKeyId);
    return { privateKeyId };
  },
});
