import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import { BundleError } from '../../crypto/bundle.ts';
import type { Oauth2Vault } from '../../custody/types.ts';
import type { Oauth2Credential } from '../../model/oauth2-credential.ts';
import type { Reader } from '../../store/types.ts';

/** Throws OAUTH2_CREDENTIAL_NOT_FOUND. */
export async function oauth2CredentialOf(
  read: Pick<Reader, 'oauth2Credentials'>,
  organizationId: string,
  id: string,
  field = 'parameters.oauth2CredentialId',
): Promise<Oauth2Credential> {
  const found = await read.oauth2Credentials.get(organizationId, id);
  if (found === undefined)
    throw new ApiError('OAUTH2_CREDENTIAL_NOT_FOUND', `OAuth 2.0 credential not found: ${field} names ${id}`);
  return found;
}
oauth2CredentialOf.errors = errorsOf('OAUTH2_CREDENTIAL_NOT_FOUND');

type Place = { organizationId: string; id: string };

/** Checks that the secret can be used, and seals it for its row. Throws REQUEST_INVALID. */
export function sealedClientSecret(vault: Oauth2Vault, place: Place, encryptedClientSecret: string): Buffer {
  try {
    return vault.sealClientSecret(place, encryptedClientSecret);
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    throw invalid(
      'parameters.encryptedClientSecret',
      `${error.message}. Encrypt the secret to the key oauth2-secret-encryption of GET /public/v1/discovery/keys`,
    );
  }
}
sealedClientSecret.errors = errorsOf('REQUEST_INVALID');
