import { z } from 'zod';
import { oauth2CredentialOf, sealedClientSecret } from '../../domain/credentials/oauth2-credentials.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { Oauth2CredentialId, Oauth2CredentialParams } from '../../wire/oauth2-credentials.ts';

export const updateOauth2Credential = activity({
  kind: 'UPDATE_OAUTH2_CREDENTIAL',
  resource: 'AUTH',
  action: 'UPDATE',
  summary: 'Replace the provider, client ID and secret of an OAuth 2.0 credential',
  custody: 'oauth2',
  params: v1(Oauth2CredentialParams.extend({ oauth2CredentialId: Oauth2CredentialId })),
  result: { key: 'updateOauth2CredentialResult', shape: z.object({ oauth2CredentialId: IdOut }) },
  errors: [sealedClientSecret, oauth2CredentialOf],
  async prepare({ ctx: { organization, vault }, intent: { oauth2CredentialId: id, encryptedClientSecret } }) {
    return sealedClientSecret(vault, { organizationId: organization.id, id }, encryptedClientSecret);
  },
  async execute({
    ctx: { organization, store, now },
    intent: { oauth2CredentialId: id, ...params },
    prepared: sealedClientSecret,
  }) {
    const old = await oauth2CredentialOf(store, organization.id, id);
    await store.oauth2Credentials.replace({ ...old, ...params, sealedClientSecret, updatedAt: now });
    return { oauth2CredentialId: id };
  },
});
