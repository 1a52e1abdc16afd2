import { z } from 'zod';
import { mfaPolicyOf } from '../../domain/credentials/mfa-policies.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { MfaPolicy, viewMfaPolicy } from '../../wire/mfa-policies.ts';

export const getMfaPolicy = query({
  name: 'get_mfa_policy',
  summary: 'One MFA policy of a user',
  params: z.object({ organizationId: Id, userId: Id, mfaPolicyId: Id }),
  result: z.object({ mfaPolicy: MfaPolicy }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, asked) {
    await userNamed(read, organization, asked.userId, 'userId');
    return { mfaPolicy: viewMfaPolicy(await mfaPolicyOf(read, organization.id, asked, 'mfaPolicyId')) };
  },
});
