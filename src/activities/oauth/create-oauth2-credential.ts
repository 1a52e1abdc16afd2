import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';
import { oneOf } from '../../wire/enums.ts';

export const createOauth2Credential = activity({
  kind: 'CREATE_OAUTH2_CREDENTIAL',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'CREATE_OAUTH2_CREDENTIAL: say in a few words what it does',
  params: v1(
    z.object({
      provider: oneOf('provider', ['OAUTH2_PROVIDER_X', 'OAUTH2_PROVIDER_DISCORD']),
      clientId: Id,
      encryptedClientSecret: z.string().max(1000),
    }),
  ),
  policyParams: {},
  result: { key: 'createOauth2CredentialResult', shape: z.object({ oauth2CredentialId: IdOut }) },
  errors: ['REQUEST_INVALID'],
  async execute() {
    throw new Error('CREATE_OAUTH2_CREDENTIAL is not written yet');
  },
});
