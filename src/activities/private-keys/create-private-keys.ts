import { z } from 'zod';
import { readyPrivateKey, storePrivateKeys } from '../../domain/private-keys.ts';
import { addTags } from '../../domain/tags.ts';
import { activity } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { Address } from '../../wire/wallets.ts';
import { params } from './create-private-keys.history.ts';

export const createPrivateKeys = activity({
  kind: 'CREATE_PRIVATE_KEYS',
  resource: 'PRIVATE_KEY',
  action: 'CREATE',
  summary: 'Create standalone private keys, and their addresses',
  custody: 'create',
  params,
  result: {
    key: 'createPrivateKeysResultV2',
    shape: z.object({ privateKeys: z.array(z.object({ privateKeyId: IdOut, addresses: z.array(Address) })) }),
  },
  oldResults: [
    {
      until: 1,
      key: 'createPrivateKeysResult',
      shape: z.object({ privateKeyIds: z.array(IdOut) }),
      write: ({ privateKeys }) => ({ privateKeyIds: privateKeys.map((key) => key.privateKeyId) }),
    },
  ],
  errors: ['REQUEST_INVALID', 'NOT_FOUND', 'LIMIT_EXCEEDED'],
  async prepare(ctx, { privateKeys }) {
    return privateKeys.map(({ privateKeyName: name, curve, addressFormats, privateKeyTags }, i) => {
      const id = ctx.ids.next();
      const made = { ...ctx.vault.newPrivateKey(ctx.organization.id, id, curve), imported: false };
      const ready = readyPrivateKey(ctx, { id, name, curve, addressFormats }, made, `parameters.privateKeys[${i}]`);
      return { ...ready, tags: privateKeyTags };
    });
  },
  async execute(ctx, _intent, _subject, ready) {
    await storePrivateKeys(ctx, ready, (i) => `parameters.privateKeys[${i}].privateKeyName`);
    for (const [i, { key, tags }] of ready.entries())
      await addTags(ctx, ctx.organization.id, 'private_key', key.id, tags, `parameters.privateKeys[${i}].privateKeyTags`);
    return { privateKeys: ready.map(({ key, addresses }) => ({ privateKeyId: key.id, addresses })) };
  },
});
