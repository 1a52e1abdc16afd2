import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import { BUILT_IN_PROFILES } from '../../model/session-profile.ts';
import type { Page } from '../../store/types.ts';
import { Id } from '../../wire/common.ts';
import { SessionProfile, viewSessionProfile } from '../../wire/session-profiles.ts';

export const getSessionProfiles = query({
  name: 'get_session_profiles',
  summary: 'Built-in session profiles, then those of the top-level organization, in the order of their creation',
  params: z.object({ organizationId: Id }),
  result: z.object({ sessionProfiles: z.array(SessionProfile) }),
  errors: [],
  async run({ organization, read }) {
    const stored = (page: Page) => read.sessionProfiles.page(topLevelIdOf(organization), page);
    /** A whole list is read from its beginning. */
    const page = async (asked: Page) => {
      const isFirst = asked.after === undefined && asked.before === undefined;
      if (!isFirst) return stored(asked);
      return [...BUILT_IN_PROFILES, ...(await stored({ limit: asked.limit - BUILT_IN_PROFILES.length }))];
    };
    return listing({ name: 'sessionProfiles', page, show: (some) => some.map(viewSessionProfile) }, undefined);
  },
});
