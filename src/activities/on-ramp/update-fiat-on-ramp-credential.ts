import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { checkKeys, onRampCredentialOf, rowOf, sealedKeys } from '../../on-ramp/credentials.ts';
import { Id, IdOut } from '../../wire/common.ts';
import { FiatOnRampCredentialParams } from '../../wire/on-ramp.ts';

export const updateFiatOnRampCredential = activity({
  kind: 'UPDATE_FIAT_ON_RAMP_CREDENTIAL',
  resource: 'ON_RAMP_CREDENTIALS',
  action: 'UPDATE',
  summary: 'Replace the provider and all keys of an on-ramp credential',
  custody: 'on-ramp',
  params: v1(FiatOnRampCredentialParams.extend({ fiatOnrampCredentialId: Id })),
  result: { key: 'updateFiatOnRampCredentialResult', shape: z.object({ fiatOnRampCredentialId: IdOut }) },
  errors: [checkKeys, sealedKeys, onRampCredentialOf],
  check: ({ intent }) => checkKeys(intent),
  prepare: async ({ ctx: { organization, vault }, intent }) =>
    sealedKeys(vault, { organizationId: organization.id, id: intent.fiatOnrampCredentialId }, intent),
  async execute({ ctx: { organization, store, now }, intent, prepared: sealed }) {
    const old = await onRampCredentialOf(store, organization.id, intent.fiatOnrampCredentialId);
    await store.fiatOnRampCredentials.replace({ ...old, ...sealed, ...rowOf(intent), updatedAt: now });
    return { fiatOnRampCredentialId: old.id };
  },
});
