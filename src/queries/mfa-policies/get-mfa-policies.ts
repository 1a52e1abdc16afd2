import { z } from 'zod';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { query } from '../../engine/query/declare.ts';
import { inOrder } from '../../model/mfa-policy.ts';
import { Id } from '../../wire/common.ts';
import { MfaPolicy, viewMfaPolicy } from '../../wire/mfa-policies.ts';

export const getMfaPolicies = query({
  name: 'get_mfa_policies',
  summary: 'The MFA policies of a user in the order of their evaluation: only the first that matches applies',
  params: z.object({ organizationId: Id, userId: Id }),
  result: z.object({ mfaPolicies: z.array(MfaPolicy) }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { userId }) {
    await userNamed(read, organization, userId, 'userId');
    return { mfaPolicies: inOrder(await read.mfaPolicies.listByUser(organization.id, userId)).map(viewMfaPolicy) };
  },
});
