import { z } from 'zod';
import { sealedClientSecret } from '../../domain/credentials/oauth2-credentials.ts';
import { requireRoom } from '../../domain/limits/limits.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { Oauth2CredentialParams } from '../../wire/oauth2-credentials.ts';

export const createOauth2Credential = activity({
  kind: 'CREATE_OAUTH2_CREDENTIAL',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'Store the client ID and secret of an application at an OAuth 2.0 provider',
  custody: 'oauth2',
  params: v1(Oauth2CredentialParams),
  result: { key: 'createOauth2CredentialResult', shape: z.object({ oauth2CredentialId: IdOut }) },
  errors: [sealedClientSecret, requireRoom],
  async prepare({ ctx: { organization, ids, vault }, intent: { encryptedClientSecret } }) {
    const place = { organizationId: organization.id, id: ids.next() };
    return { ...place, sealedClientSecret: sealedClientSecret(vault, place, encryptedClientSecret) };
  },
  async execute({ ctx: { organization, store, limits, now }, intent: params, prepared: sealed }) {
    const have = await store.organizations.count(organization.id, 'oauth2CredentialCount');
    requireRoom(have, 1, limits.oauth2Credentials, 'OAuth 2.0 credentials', 'LIMIT_OAUTH2_CREDENTIALS');
    await store.oauth2Credentials.insert({ ...params, ...sealed, createdAt: now, updatedAt: now });
    return { oauth2CredentialId: sealed.id };
  },
});
