import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { onRampCredentialOf } from '../../on-ramp/credentials.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteFiatOnRampCredential = activity({
  kind: 'DELETE_FIAT_ON_RAMP_CREDENTIAL',
  resource: 'ON_RAMP_CREDENTIALS',
  action: 'DELETE',
  summary: 'Delete an on-ramp credential; pages that were opened with it keep working at the provider',
  params: v1(z.object({ fiatOnrampCredentialId: Id })),
  result: { key: 'deleteFiatOnRampCredentialResult', shape: z.object({ fiatOnRampCredentialId: IdOut }) },
  errors: [onRampCredentialOf],
  async execute({ ctx: { organization, store }, intent: { fiatOnrampCredentialId: id } }) {
    await onRampCredentialOf(store, organization.id, id);
    await store.fiatOnRampCredentials.remove(organization.id, id);
    return { fiatOnRampCredentialId: id };
  },
});
