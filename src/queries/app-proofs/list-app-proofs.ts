import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { AppProof, viewAppProofs } from '../../wire/app-proofs.ts';
import { Id } from '../../wire/common.ts';

export const listAppProofs = query({
  name: 'list_app_proofs',
  summary: 'The app proofs of an activity, as its answer has them; empty if its body asked for none',
  params: z.object({ organizationId: Id, activityId: Id }),
  result: z.object({ appProofs: z.array(AppProof) }),
  readsDeleted: true,
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { activityId }) {
    const found = await read.appProofs.ofActivity(organization.id, activityId);
    if (found !== undefined) return { appProofs: viewAppProofs(found) };
    if ((await read.activities.get(organization.id, activityId)) === undefined)
      throw new ApiError('NOT_FOUND', `activity not found: activityId names ${activityId}`);
    return { appProofs: [] };
  },
});
