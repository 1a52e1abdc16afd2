import type { Oauth2Credential } from '../../../../src/model/oauth2-credential.ts';
import { idOf, NOW } from '../../names.ts';

export const oauth2CredentialOf = (
  organizationId: string,
  id: string,
  more: Partial<Oauth2Credential> = {},
): Oauth2Credential => ({
  organizationId,
  id: idOf(id),
  provider: 'OAUTH2_PROVIDER_X',
  clientId: 'client',
  encryptedClientSecret: 'ab12',
  sealedClientSecret: Buffer.from('sealed'),
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
});
