import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { comparableTarget, targetOf } from '../../domain/credentials/target-keys.ts';
import { requireUnfrozen } from '../../domain/keys/frozen.ts';
import { fieldOf, nameIn, pairsAsMap, requireSecrets, secretsOf, secretViews } from '../../domain/keys/secrets.ts';
import { activity, mapOf, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { ExportSecretsParams } from '../../wire/secrets.ts';

/** Sealed bytes in one export. The result is stored with the activity, in hex of hex. */
const MOST_BYTES = 256 * 1024;

export const exportSecrets = activity({
  kind: 'EXPORT_SECRETS',
  resource: 'SECRET',
  action: 'EXPORT',
  summary: 'Export secrets, each sealed to a public key: all or none',
  custody: 'export',
  writes: false,
  resultBundles: ['secretPayloads'],
  params: v1(ExportSecretsParams),
  resolve: ({ ctx, intent: { secrets } }) =>
    secretsOf(
      ctx,
      secrets.map(({ secretId }) => secretId),
    ),
  policyParams: {
    target_public_key: [STRING, ({ secrets }, { element }) => comparableTarget(secrets[element]!)],
    secret_id: [STRING, ({ secrets }, { element }) => secrets[element]!.secretId],
    secret_name: [STRING, (_, { element, subject }) => nameIn(subject, element)],
    request_context: [mapOf(STRING), ({ secrets }, { element }) => pairsAsMap(secrets[element]!.requestContext)],
  },
  policyRoots: ['secret'],
  batch: true,
  policyView: async ({ subject }) => secretViews(subject),
  result: { key: 'exportSecretsResult', shape: z.object({ secretPayloads: z.array(z.string()) }) },
  errors: [requireUnfrozen, targetOf, requireSecrets],
  check({ intent: { secrets } }) {
    for (const [i, { targetPublicKey }] of secrets.entries()) targetOf(targetPublicKey, fieldOf(i, 'targetPublicKey'));
  },
  async prepare({ ctx: { read, organization, vault }, intent: { secrets } }) {
    await requireUnfrozen(read, organization.id, []);
    const ids = secrets.map(({ secretId }) => secretId);
    const sealed = await read.signers.sealedSecrets(organization.id, ids, 'stored-secret');
    const found = requireSecrets(
      ids.map((id) => sealed.get(id)),
      ids,
    );
    if (found.reduce((sum, one) => sum + one.length, 0) > MOST_BYTES)
      throw invalid(
        'parameters.secrets',
        `must have at most ${MOST_BYTES} bytes of secrets together: export the others by further requests`,
      );
    const secretPayloads: string[] = [];
    for (const [i, { secretId, targetPublicKey }] of secrets.entries()) {
      // Sealing takes some milliseconds, and other requests wait for it.
      if (i > 0) await setImmediate();
      secretPayloads.push(vault.exportSecret(secretId, found[i]!, targetOf(targetPublicKey, fieldOf(i, 'targetPublicKey'))));
    }
    return { secretPayloads };
  },
  execute: async ({ prepared }) => prepared,
});
