import { errorsOf } from '../base/declared-errors.ts';
import { ApiError, invalid } from '../base/errors.ts';
import { BundleError } from '../crypto/bundle.ts';
import type { OnRampVault } from '../custody/types.ts';
import type { FiatOnRampCredential, OnRampProvider, OnRampTransaction } from '../model/on-ramp.ts';
import type { Organization } from '../model/organization.ts';
import type { Reader } from '../store/types.ts';

type Read = Pick<Reader, 'fiatOnRampCredentials'>;
type Asker = Pick<Organization, 'id' | 'parentId'>;
type Wanted = Pick<FiatOnRampCredential, 'provider' | 'sandboxMode'>;

/** Throws NOT_FOUND. */
export async function onRampCredentialOf(read: Read, organizationId: string, id: string): Promise<FiatOnRampCredential> {
  const found = await read.fiatOnRampCredentials.get(organizationId, id);
  if (found === undefined)
    throw new ApiError('NOT_FOUND', `on-ramp credential not found: parameters.fiatOnrampCredentialId names ${id}`);
  return found;
}
onRampCredentialOf.errors = errorsOf('NOT_FOUND');

/** The newest credential of an organization for a provider and mode, or else its parent's. Throws FIAT_ON_RAMP_NOT_CONFIGURED. */
export async function credentialFor(
  { fiatOnRampCredentials }: Read,
  { id, parentId }: Asker,
  { provider, sandboxMode }: Wanted,
): Promise<FiatOnRampCredential> {
  const own = await fiatOnRampCredentials.newest(id, provider, sandboxMode);
  const found = own ?? (parentId === null ? undefined : await fiatOnRampCredentials.newest(parentId, provider, sandboxMode));
  if (found !== undefined) return found;
  const mode = sandboxMode ? 'with sandboxMode' : 'without sandboxMode';
  throw new ApiError(
    'FIAT_ON_RAMP_NOT_CONFIGURED',
    `neither this organization nor its parent has a credential for ${provider} ${mode}: store one with CREATE_FIAT_ON_RAMP_CREDENTIAL`,
  );
}
credentialFor.errors = errorsOf('FIAT_ON_RAMP_NOT_CONFIGURED');

/** The credential that a transaction began with, or the one that a new transaction would have. */
export async function credentialOfTransaction(read: Read, organization: Asker, transaction: OnRampTransaction) {
  for (const id of [organization.id, organization.parentId]) {
    const found = id === null ? undefined : await read.fiatOnRampCredentials.get(id, transaction.credentialId);
    if (found?.provider === transaction.provider) return found;
  }
  return credentialFor(read, organization, transaction);
}

export type SealedKeys = Pick<FiatOnRampCredential, 'sealedSecretApiKey' | 'sealedPrivateApiKey'>;

/** What a client gives for a credential. */
type Given = {
  onrampProvider: OnRampProvider;
  projectId?: string | undefined;
  publishableApiKey: string;
  encryptedSecretApiKey: string;
  encryptedPrivateApiKey?: string | undefined;
};

/** Refuses keys that the provider does not have, or lacks. */
export function checkKeys({ onrampProvider, encryptedPrivateApiKey }: Given): void {
  const isCoinbase = onrampProvider === 'FIAT_ON_RAMP_PROVIDER_COINBASE';
  if (isCoinbase === (encryptedPrivateApiKey !== undefined)) return;
  const problem = isCoinbase
    ? 'must be set: Coinbase verifies requests by this key'
    : 'must not be set: MoonPay has no private key';
  throw invalid('parameters.encryptedPrivateApiKey', problem);
}
checkKeys.errors = errorsOf('REQUEST_INVALID');

/** Checks that the keys can be used, and seals them for their row. Throws REQUEST_INVALID. */
export function sealedKeys(vault: OnRampVault, place: { organizationId: string; id: string }, given: Given): SealedKeys {
  const { onrampProvider, encryptedSecretApiKey: secret, encryptedPrivateApiKey: key } = given;
  const kind = onrampProvider === 'FIAT_ON_RAMP_PROVIDER_MOONPAY' ? 'key' : 'text';
  const seal = (field: string, work: () => Buffer): Buffer => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof BundleError)) throw error;
      const how = 'Encrypt it to the key on-ramp-secret-encryption of GET /public/v1/discovery/keys';
      throw invalid(`parameters.${field}`, `${error.message}. ${how}`);
    }
  };
  return {
    sealedSecretApiKey: seal('encryptedSecretApiKey', () => vault.sealSecretKey(place, secret, kind)),
    sealedPrivateApiKey: key === undefined ? null : seal('encryptedPrivateApiKey', () => vault.sealPrivateKey(place, key)),
  };
}
sealedKeys.errors = errorsOf('REQUEST_INVALID');

/** The columns that a client sets. */
export const rowOf = (given: Given) => ({
  provider: given.onrampProvider,
  projectId: given.projectId ?? null,
  publishableApiKey: given.publishableApiKey,
  encryptedSecretApiKey: given.encryptedSecretApiKey,
  encryptedPrivateApiKey: given.encryptedPrivateApiKey ?? null,
});
