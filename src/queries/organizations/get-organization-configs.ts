import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id, IdOut } from '../../wire/common.ts';
import { Features, viewFeatures } from '../../wire/features.ts';

export const getOrganizationConfigs = query({
  name: 'get_organization_configs',
  summary: 'The enabled features and the root quorum',
  params: z.object({ organizationId: Id }),
  result: z.object({
    configs: z.object({ features: Features, quorum: z.object({ threshold: z.int(), userIds: z.array(IdOut) }) }),
  }),
  errors: [],
  async run({ organization }) {
    return { configs: { features: viewFeatures(organization.features), quorum: organization.rootQuorum } };
  },
});
