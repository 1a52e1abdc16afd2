import { z } from 'zod';
import { requireRoom } from '../../domain/limits/limits.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { checkKeys, rowOf, sealedKeys } from '../../on-ramp/credentials.ts';
import { IdOut } from '../../wire/common.ts';
import { FiatOnRampCredentialParams } from '../../wire/on-ramp.ts';

export const createFiatOnRampCredential = activity({
  kind: 'CREATE_FIAT_ON_RAMP_CREDENTIAL',
  resource: 'ON_RAMP_CREDENTIALS',
  action: 'CREATE',
  summary: 'Store the keys of the organization at an on-ramp provider, which sells cryptocurrency to people',
  custody: 'on-ramp',
  params: v1(FiatOnRampCredentialParams.extend({ sandboxMode: z.boolean().optional() })),
  result: { key: 'createFiatOnRampCredentialResult', shape: z.object({ fiatOnRampCredentialId: IdOut }) },
  errors: [checkKeys, sealedKeys, requireRoom],
  check: ({ intent }) => checkKeys(intent),
  async prepare({ ctx: { organization, ids, vault }, intent }) {
    const place = { organizationId: organization.id, id: ids.next() };
    return { ...place, ...sealedKeys(vault, place, intent) };
  },
  async execute({ ctx: { organization, store, limits, now }, intent, prepared: sealed }) {
    const have = await store.organizations.count(organization.id, 'fiatOnRampCredentialCount');
    requireRoom(have, 1, limits.fiatOnRampCredentials, 'on-ramp credentials', 'LIMIT_FIAT_ON_RAMP_CREDENTIALS');
    const { sandboxMode = false } = intent;
    await store.fiatOnRampCredentials.insert({ ...sealed, ...rowOf(intent), sandboxMode, createdAt: now, updatedAt: now });
    return { fiatOnRampCredentialId: sealed.id };
  },
});
