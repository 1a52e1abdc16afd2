import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { readEncryptedBundle } from '../../crypto/bundle.ts';
import { fieldOf, nameIn, noTarget, openTargets, readingPayload, secretViews, targetKeyOf } from '../../domain/keys/secrets.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import type { StoredSecret } from '../../model/secret.ts';
import { IdOut } from '../../wire/common.ts';
import { ImportSecretsParams } from '../../wire/secrets.ts';

export const importSecrets = activity({
  kind: 'IMPORT_SECRETS',
  resource: 'SECRET',
  action: 'IMPORT',
  summary: 'Import secrets that were sealed to keys of INIT_IMPORT_SECRETS: all or none',
  custody: 'import',
  // While the key is open, who has the payload could import it with other properties.
  secrets: ['secrets.secretPayload'],
  params: v1(ImportSecretsParams),
  policyParams: { secret_name: [STRING, ({ secrets }, { element }) => nameIn(secrets, element)] },
  policyRoots: ['secret'],
  batch: true,
  policyView: async ({ intent: { secrets } }) => secretViews(secrets),
  result: { key: 'importSecretsResult', shape: z.object({ secretIds: z.array(IdOut) }) },
  errors: [targetKeyOf, readingPayload, openTargets],
  check({ intent: { secrets } }) {
    const seen = new Set<string>();
    const once = (i: number, member: string, text: string) => {
      if (seen.has(`${member} ${text}`))
        throw invalid(fieldOf(i, member), 'must differ from that of each other secret in the request');
      seen.add(`${member} ${text}`);
    };
    for (const [i, { name, targetPublicKey, secretPayload }] of secrets.entries()) {
      if (name !== undefined) once(i, 'name', name);
      once(i, 'targetPublicKey', targetKeyOf(targetPublicKey, i));
      readingPayload(i, () => readEncryptedBundle(secretPayload));
    }
  },
  async prepare({ ctx: { read, organization, ids, vault, now }, intent: { secrets } }) {
    const keys = secrets.map(({ targetPublicKey }, i) => targetKeyOf(targetPublicKey, i));
    const targets = await openTargets(read, organization.id, keys, now);
    const made: { publicKey: string; sealed: Buffer; secret: StoredSecret }[] = [];
    for (const [i, { name = null, staticProperties = [], secretPayload }] of secrets.entries()) {
      // Opening takes a millisecond, and other requests wait for it.
      if (i > 0) await setImmediate();
      const [id, target] = [ids.next(), targets[i]!];
      const sealed = readingPayload(i, () => vault.importSecret(target, secretPayload, id));
      const secret = { organizationId: organization.id, id, name, staticProperties, createdAt: now };
      made.push({ publicKey: target.publicKey, sealed, secret });
    }
    return made;
  },
  async execute({ ctx: { store, organization }, prepared }) {
    for (const [i, { publicKey, sealed, secret }] of prepared.entries()) {
      if (!(await store.secretTargets.use(organization.id, publicKey))) throw noTarget(i);
      if (!(await store.storedSecrets.insert(secret))) throw invalid(fieldOf(i, 'name'), 'secret name must be unique');
      await store.signers.insertSecret(organization.id, secret.id, 'stored-secret', sealed);
    }
    return { secretIds: prepared.map(({ secret }) => secret.id) };
  },
});
