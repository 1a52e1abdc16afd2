import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import { Id } from '../../wire/common.ts';
import { SessionProfile, viewSessionProfile } from '../../wire/session-profiles.ts';

export const getSessionProfiles = query({
  name: 'get_session_profiles',
  summary: 'Session profiles of the organization or, for a sub-organization, of its parent, in the order of their creation',
  params: z.object({ organizationId: Id }),
  result: z.object({ sessionProfiles: z.array(SessionProfile) }),
  errors: [],
  run: async ({ organization, read }) =>
    listing(
      {
        name: 'sessionProfiles',
        page: (page) => read.sessionProfiles.page(topLevelIdOf(organization), page),
        show: (some) => some.map(viewSessionProfile),
      },
      undefined,
    ),
});
