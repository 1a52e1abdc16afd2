import { z } from 'zod';
import { preparePrivateKeys, storeTaggedKeys } from '../../domain/keys/private-keys.ts';
import { activity } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { PrivateKeyResult } from '../../wire/wallets.ts';
import { params } from './create-private-keys.history.ts';

export const createPrivateKeys = activity({
  kind: 'CREATE_PRIVATE_KEYS',
  resource: 'PRIVATE_KEY',
  action: 'CREATE',
  summary: 'Create standalone private keys and their addresses',
  custody: 'create',
  params,
  result: {
    key: 'createPrivateKeysResultV2',
    shape: z.object({ privateKeys: z.array(PrivateKeyResult) }),
  },
  oldResults: [
    {
      until: 1,
      key: 'createPrivateKeysResult',
      shape: z.object({ privateKeyIds: z.array(IdOut) }),
      write: ({ privateKeys }) => ({ privateKeyIds: privateKeys.map((key) => key.privateKeyId) }),
    },
  ],
  errors: [preparePrivateKeys, storeTaggedKeys],
  async prepare({ ctx, intent: { privateKeys } }) {
    return preparePrivateKeys(ctx, privateKeys, 'parameters.privateKeys');
  },
  async execute({ ctx, prepared: ready }) {
    return { privateKeys: await storeTaggedKeys(ctx, ctx.organization, ready, 'parameters.privateKeys') };
  },
});
