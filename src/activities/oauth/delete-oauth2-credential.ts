import { z } from 'zod';
import { oauth2CredentialOf } from '../../domain/credentials/oauth2-credentials.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { Oauth2CredentialId } from '../../wire/oauth2-credentials.ts';

export const deleteOauth2Credential = activity({
  kind: 'DELETE_OAUTH2_CREDENTIAL',
  resource: 'AUTH',
  action: 'DELETE',
  summary: 'Delete an OAuth 2.0 credential; users who signed in with it keep their login',
  params: v1(z.object({ oauth2CredentialId: Oauth2CredentialId })),
  result: { key: 'deleteOauth2CredentialResult', shape: z.object({ oauth2CredentialId: IdOut }) },
  errors: [oauth2CredentialOf],
  async execute({ ctx: { organization, store }, intent: { oauth2CredentialId: id } }) {
    await oauth2CredentialOf(store, organization.id, id);
    await store.oauth2Credentials.remove(organization.id, id);
    return { oauth2CredentialId: id };
  },
});
