import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { TARGET_MS } from '../../domain/keys/secrets.ts';
import { requireRoom } from '../../domain/limits/limits.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { InitImportSecretsParams } from '../../wire/secrets.ts';

export const initImportSecrets = activity({
  kind: 'INIT_IMPORT_SECRETS',
  resource: 'SECRET',
  action: 'IMPORT',
  summary: 'Get one-time keys to which secrets are sealed for their import, one for each secret',
  custody: 'import',
  params: v1(InitImportSecretsParams),
  result: { key: 'initImportSecretsResult', shape: z.object({ enclaveTargetMessages: z.array(z.string()) }) },
  errors: [requireRoom],
  async prepare({ ctx: { organization, ids, vault }, intent: { numSecrets } }) {
    const targets = [vault.newImportTarget(organization.id, ids.next())];
    while (targets.length < numSecrets) {
      // Other requests run between two keys.
      await setImmediate();
      targets.push(vault.newImportTarget(organization.id, ids.next()));
    }
    return targets;
  },
  async execute({ ctx: { organization, store, limits, now }, intent: { numSecrets }, prepared: targets }) {
    await store.secretTargets.sweep(organization.id, now);
    const have = await store.organizations.count(organization.id, 'secretCount');
    requireRoom(have, numSecrets, limits.secrets, 'secrets and keys for their import', 'LIMIT_SECRETS');
    for (const { importBundle: _, ...target } of targets)
      await store.secretTargets.insert({ ...target, expiresAt: now + TARGET_MS });
    return { enclaveTargetMessages: targets.map(({ importBundle }) => importBundle) };
  },
});
