import { z } from 'zod';
import { mfaPolicyOf } from '../../domain/credentials/mfa-policies.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteMfaPolicy = activity({
  kind: 'DELETE_MFA_POLICY',
  resource: 'MFA_POLICY',
  action: 'DELETE',
  summary: 'Delete an MFA policy of a user; activities that wait for it continue at the next approval',
  params: v1(z.object({ userId: Id, mfaPolicyId: Id })),
  result: { key: 'deleteMfaPolicyResult', shape: z.object({ mfaPolicyId: IdOut }) },
  errors: [userNamed, mfaPolicyOf],
  async execute({ ctx: { organization, store, now }, intent }) {
    const { userId, mfaPolicyId } = intent;
    await userNamed(store, organization, userId);
    await mfaPolicyOf(store, organization.id, intent, 'parameters.mfaPolicyId');
    await store.mfaPolicies.remove(organization.id, userId, mfaPolicyId, now);
    return { mfaPolicyId };
  },
});
