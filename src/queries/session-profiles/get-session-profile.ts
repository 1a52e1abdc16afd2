import { z } from 'zod';
import { findSessionProfile } from '../../domain/credentials/session-profiles.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { SessionProfile, viewSessionProfile } from '../../wire/session-profiles.ts';

export const getSessionProfile = query({
  name: 'get_session_profile',
  summary: 'One session profile of the organization or, for a sub-organization, of its parent',
  params: z.object({ organizationId: Id, sessionProfileId: Id }),
  result: z.object({ sessionProfile: SessionProfile }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { sessionProfileId }) {
    const profile = await findSessionProfile(read, organization, sessionProfileId, 'sessionProfileId');
    return { sessionProfile: viewSessionProfile(profile) };
  },
});
