import { z } from 'zod';
import { readingBundle, targetOf, useTarget } from '../../domain/keys/imports.ts';
import { readyPrivateKey, storePrivateKeys } from '../../domain/keys/private-keys.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { ImportPrivateKeyParams } from '../../wire/exports.ts';
import { Address } from '../../wire/wallets.ts';

export const importPrivateKey = activity({
  kind: 'IMPORT_PRIVATE_KEY',
  resource: 'PRIVATE_KEY',
  action: 'IMPORT',
  summary: 'Import a private key that was sealed to the key of INIT_IMPORT_PRIVATE_KEY',
  custody: 'import',
  params: v1(ImportPrivateKeyParams),
  submitters: { onlyUser: ({ userId }) => userId },
  result: { key: 'importPrivateKeyResult', shape: z.object({ privateKeyId: IdOut, addresses: z.array(Address) }) },
  errors: [targetOf, readingBundle, readyPrivateKey, useTarget, storePrivateKeys],
  async prepare({ ctx, intent: { userId, privateKeyName: name, encryptedBundle, curve, addressFormats } }) {
    const target = await targetOf(ctx.read, ctx.organization, userId, 'private_key');
    const id = ctx.ids.next();
    const made = await readingBundle(() => ctx.vault.importPrivateKey(target, encryptedBundle, id, curve));
    return {
      target,
      ready: readyPrivateKey(ctx, { id, name, curve, addressFormats }, { ...made, imported: true }, 'parameters'),
    };
  },
  async execute({ ctx, prepared: { target, ready } }) {
    await useTarget(ctx.store, target);
    await storePrivateKeys(ctx, [ready], () => 'parameters.privateKeyName');
    return { privateKeyId: ready.key.id, addresses: ready.addresses };
  },
});
