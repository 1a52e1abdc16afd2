import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { mfaOn, shownDemand } from '../../engine/decision/mfa-status.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { MfaStatus } from '../../wire/mfa-policies.ts';

export const getMfaStatus = query({
  name: 'get_mfa_status',
  summary:
    'The MFA steps that the submitter and approvers of a waiting activity, or one user, must take and have taken; empty if none are required',
  params: z.object({ organizationId: Id, activityId: Id, userId: Id.optional() }),
  result: z.object({ mfaStatuses: z.array(MfaStatus) }),
  errors: ['NOT_FOUND'],
  async run({ organization, caller, read, decisions, now }, { activityId, userId }) {
    const activity = await read.activities.get(organization.id, activityId);
    if (activity === undefined) throw new ApiError('NOT_FOUND', `activity not found: activityId names ${activityId}`);
    const decidingId = await decisions.deciding(read, decisions.decode(activity).kind, organization, activity);
    const deciding = [organization, caller.organization].find(({ id }) => id === decidingId);
    // A sub-organization must not read who belongs to its parent.
    if (deciding === undefined) return { mfaStatuses: [] };
    return { mfaStatuses: (await mfaOn(decisions, read, { organization, deciding, activity, now, userId })).map(shownDemand) };
  },
});
