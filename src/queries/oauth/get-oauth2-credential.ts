import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id, IdOut, Timestamp } from '../../wire/common.ts';

export const getOauth2Credential = query({
  name: 'get_oauth2_credential',
  summary: 'get_oauth2_credential: say in a few words what it answers',
  params: z.object({ organizationId: Id, oauth2CredentialId: Id }),
  result: z.object({
    oauth2Credential: z.object({
      oauth2CredentialId: IdOut,
      organizationId: IdOut,
      provider: z.string(),
      clientId: IdOut,
      encryptedClientSecret: z.string(),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    }),
  }),
  errors: [],
  async run() {
    throw new Error('get_oauth2_credential is not written yet');
  },
});
