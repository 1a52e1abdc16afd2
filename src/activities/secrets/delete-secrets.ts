import { z } from 'zod';
import { nameIn, requireSecrets, secretsOf, secretViews } from '../../domain/keys/secrets.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdsOut } from '../../wire/exports.ts';
import { DeleteSecretsParams } from '../../wire/secrets.ts';

export const deleteSecrets = activity({
  kind: 'DELETE_SECRETS',
  resource: 'SECRET',
  action: 'DELETE',
  summary: 'Destroy secrets: all or none',
  params: v1(DeleteSecretsParams),
  resolve: ({ ctx, intent: { secretIds } }) => secretsOf(ctx, secretIds),
  policyParams: {
    secret_id: [STRING, ({ secretIds }, { element }) => secretIds[element]],
    secret_name: [STRING, (_, { element, subject }) => nameIn(subject, element)],
  },
  policyRoots: ['secret'],
  batch: true,
  policyView: async ({ subject }) => secretViews(subject),
  result: { key: 'deleteSecretsResult', shape: z.object({ secretIds: IdsOut }) },
  errors: [requireSecrets],
  async execute({ ctx: { organization, store }, intent: { secretIds } }) {
    requireSecrets(await secretsOf({ read: store, organization }, secretIds), secretIds);
    for (const id of secretIds) {
      await store.storedSecrets.remove(organization.id, id);
      await store.signers.destroy(organization.id, id);
    }
    return { secretIds };
  },
});
