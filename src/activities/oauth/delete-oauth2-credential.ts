import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteOauth2Credential = activity({
  kind: 'DELETE_OAUTH2_CREDENTIAL',
  resource: 'AUTH',
  action: 'DELETE',
  summary: 'DELETE_OAUTH2_CREDENTIAL: say in a few words what it does',
  params: v1(z.object({ oauth2CredentialId: Id })),
  policyParams: {},
  result: { key: 'deleteOauth2CredentialResult', shape: z.object({ oauth2CredentialId: IdOut }) },
  errors: ['REQUEST_INVALID'],
  async execute() {
    throw new Error('DELETE_OAUTH2_CREDENTIAL is not written yet');
  },
});
