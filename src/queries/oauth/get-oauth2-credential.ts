import { z } from 'zod';
import { oauth2CredentialOf } from '../../domain/credentials/oauth2-credentials.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { Oauth2Credential, Oauth2CredentialId, viewOauth2Credential } from '../../wire/oauth2-credentials.ts';

export const getOauth2Credential = query({
  name: 'get_oauth2_credential',
  summary: 'One OAuth 2.0 credential; its secret is encrypted to the service',
  params: z.object({ organizationId: Id, oauth2CredentialId: Oauth2CredentialId }),
  result: z.object({ oauth2Credential: Oauth2Credential }),
  errors: ['OAUTH2_CREDENTIAL_NOT_FOUND'],
  async run({ organization, read }, { oauth2CredentialId: id }) {
    return { oauth2Credential: viewOauth2Credential(await oauth2CredentialOf(read, organization.id, id, 'oauth2CredentialId')) };
  },
});
