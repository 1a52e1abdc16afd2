import type { Oauth2Provider } from '../../model/oauth2-credential.ts';
import { id, int, sealed, text } from '../columns.ts';
import { table } from '../table.ts';

export const oauth2Credentials = table('oauth2_credentials', {
  organizationId: id(),
  id: id(),
  provider: text<Oauth2Provider>(),
  clientId: text(),
  /** The client's ciphertext, as submitted. */
  encryptedClientSecret: text(),
  /** The secret, sealed under a master key. */
  sealedClientSecret: sealed(),
  createdAt: int(),
  updatedAt: int(),
});
