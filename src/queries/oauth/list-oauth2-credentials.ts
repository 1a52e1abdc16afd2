import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id, IdOut, Timestamp } from '../../wire/common.ts';

export const listOauth2Credentials = query({
  name: 'list_oauth2_credentials',
  summary: 'list_oauth2_credentials: say in a few words what it answers',
  params: z.object({ organizationId: Id }),
  result: z.object({
    oauth2Credentials: z.array(
      z.object({
        oauth2CredentialId: IdOut,
        organizationId: IdOut,
        provider: z.string(),
        clientId: IdOut,
        encryptedClientSecret: z.string(),
        createdAt: Timestamp,
        updatedAt: Timestamp,
      }),
    ),
  }),
  errors: [],
  async run() {
    throw new Error('list_oauth2_credentials is not written yet');
  },
});
