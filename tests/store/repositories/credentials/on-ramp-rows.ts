import type { FiatOnRampCredential, OnRampTransaction } from '../../../../src/model/on-ramp.ts';
import { idOf, NOW } from '../../names.ts';

export const fiatOnRampCredentialOf = (
  organizationId: string,
  id: string,
  more: Partial<FiatOnRampCredential> = {},
): FiatOnRampCredential => ({
  organizationId,
  id: idOf(id),
  provider: 'FIAT_ON_RAMP_PROVIDER_COINBASE',
  sandboxMode: false,
  projectId: 'project',
  publishableApiKey: 'key',
  encryptedSecretApiKey: 'encrypted secret',
  encryptedPrivateApiKey: 'encrypted private',
  sealedSecretApiKey: Buffer.from('sealed secret'),
  sealedPrivateApiKey: Buffer.from('sealed private'),
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
});

export const onRampTransactionOf = (
  organizationId: string,
  id: string,
  more: Partial<OnRampTransaction> = {},
): OnRampTransaction => ({
  organizationId,
  id: idOf(id),
  provider: 'FIAT_ON_RAMP_PROVIDER_MOONPAY',
  sandboxMode: true,
  credentialId: idOf('row'),
  status: 'PENDING',
  askedAt: 0,
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
});
