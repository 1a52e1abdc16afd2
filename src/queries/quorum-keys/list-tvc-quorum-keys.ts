import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id } from '../../wire/common.ts';
import { TvcQuorumKey, viewQuorumKey } from '../../wire/quorum-keys.ts';

export const listTvcQuorumKeys = query({
  name: 'list_tvc_quorum_keys',
  summary: 'Quorum keys that the organization has made, with the operators who have shares, in the order of their creation',
  params: z.object({ organizationId: Id }),
  result: z.object({ tvcQuorumKeys: z.array(TvcQuorumKey) }),
  errors: [],
  run: async ({ organization, read }) =>
    listing(
      {
        name: 'tvcQuorumKeys',
        page: (page) => read.tvcQuorumKeys.page(organization.id, page),
        show: (some) => some.map(viewQuorumKey),
      },
      undefined,
    ),
});
