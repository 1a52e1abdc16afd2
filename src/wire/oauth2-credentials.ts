import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import { type Oauth2Credential as Model, OAUTH2_PROVIDERS } from '../model/oauth2-credential.ts';
import { IdOut, idOr, Timestamp } from './common.ts';
import { oneOf } from './enums.ts';

/** A required text. `name`: as published clients know it from the answer. */
const setText = (name: string, longest: number) =>
  z.string(`${name} must be set`).min(1, `${name} must be set`).max(longest, `must have at most ${longest} characters`);

export const Oauth2CredentialId = setText('oauth2_credential_id', 64).pipe(idOr('must be a UUID'));

/** The provider's data for the application. The secret is checked further when it is opened. */
export const Oauth2CredentialParams = z.object({
  provider: oneOf('OAuth 2.0 provider', OAUTH2_PROVIDERS),
  clientId: setText('client_id', 255).regex(/^[\x20-\x7e]+$/, 'must be printable ASCII'),
  encryptedClientSecret: setText('encrypted_client_secret', 4096),
});

export const Oauth2AuthenticateParams = z.object({
  oauth2CredentialId: Oauth2CredentialId,
  authCode: setText('auth_code', 4096),
  redirectUri: setText('redirect_uri', 2048),
  codeVerifier: setText('code_verifier', 512),
  nonce: setText('nonce', 512),
  bearerTokenTargetPublicKey: z.string().max(130).optional(),
});

export const Oauth2Credential = z.object({
  oauth2CredentialId: IdOut,
  organizationId: IdOut,
  provider: z.string(),
  clientId: z.string(),
  encryptedClientSecret: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export function viewOauth2Credential(c: Model): z.output<typeof Oauth2Credential> {
  return {
    oauth2CredentialId: c.id,
    organizationId: c.organizationId,
    provider: c.provider,
    clientId: c.clientId,
    encryptedClientSecret: c.encryptedClientSecret,
    createdAt: wireTimestamp(c.createdAt),
    updatedAt: wireTimestamp(c.updatedAt),
  };
}
