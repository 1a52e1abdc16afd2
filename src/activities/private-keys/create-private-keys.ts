import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { activity } from '../../engine/activity.ts';
import type { PrivateKey } from '../../model/keys.ts';
import { IdOut } from '../../wire/common.ts';
import { Address } from '../../wire/wallets.ts';
import { requireRoom } from '../steps/limits.ts';
import { addTags } from '../steps/users.ts';
import { formatFor } from '../steps/wallets.ts';
import { params } from './create-private-keys.history.ts';

export const createPrivateKeys = activity({
  kind: 'CREATE_PRIVATE_KEYS',
  resource: 'PRIVATE_KEY',
  action: 'CREATE',
  summary: 'Create private keys that stand alone, and their addresses',
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
  async prepare(ctx, intent) {
    return intent.privateKeys.map((wanted, i) => {
      const id = ctx.ids.next();
      const { publicKey, sealed } = ctx.vault.newPrivateKey(ctx.organization.id, id, wanted.curve);
      const addresses = [...new Set(wanted.addressFormats)].map((name, j) => ({
        format: name,
        address: formatFor(name, wanted.curve, `parameters.privateKeys[${i}].addressFormats[${j}]`).encode(
          publicKey,
          wanted.curve,
        ),
      }));
      const key: PrivateKey = {
        organizationId: ctx.organization.id,
        id,
        name: wanted.privateKeyName,
        curve: wanted.curve,
        publicKey: publicKey.toString('hex'),
        exported: false,
        imported: false,
        createdAt: ctx.now,
        updatedAt: ctx.now,
      };
      return { key, sealed, addresses, tags: wanted.privateKeyTags };
    });
  },
  async execute(ctx, _, ready) {
    const { organization, store } = ctx;
    const { privateKeys: limit } = ctx.limits;
    requireRoom(await store.privateKeys.count(organization.id), ready.length, limit, 'private keys', 'LIMIT_PRIVATE_KEYS');
    for (const [i, { key, sealed, addresses, tags }] of ready.entries()) {
      const at = `parameters.privateKeys[${i}]`;
      if (!(await store.privateKeys.insert(key)))
        throw invalid(`${at}.privateKeyName`, 'private key label must be unique: the organization has one of this name');
      await store.signers.insertSecret(organization.id, key.id, 'private-key', sealed);
      for (const { format, address } of [{ format: '', address: key.id }, ...addresses]) {
        await store.signers.insert({
          organizationId: organization.id,
          parentId: organization.parentId,
          address,
          format,
          keyId: key.id,
          walletId: null,
          curve: key.curve,
        });
      }
      await addTags(ctx, organization.id, 'private_key', key.id, tags, `${at}.privateKeyTags`);
    }
    return { privateKeys: ready.map(({ key, addresses }) => ({ privateKeyId: key.id, addresses })) };
  },
});
