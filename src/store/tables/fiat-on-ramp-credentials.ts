import type { OnRampProvider } from '../../model/on-ramp.ts';
import { flag, id, int, nullable, sealed, text } from '../columns.ts';
import { table } from '../table.ts';

export const fiatOnRampCredentials = table('fiat_on_ramp_credentials', {
  organizationId: id(),
  id: id(),
  provider: text<OnRampProvider>(),
  sandboxMode: flag(),
  projectId: nullable(text()),
  publishableApiKey: text(),
  /** The client's ciphertexts, as submitted. */
  encryptedSecretApiKey: text(),
  encryptedPrivateApiKey: nullable(text()),
  /** The secrets, sealed under a master key. */
  sealedSecretApiKey: sealed(),
  sealedPrivateApiKey: nullable(sealed()),
  createdAt: int(),
  updatedAt: int(),
});
