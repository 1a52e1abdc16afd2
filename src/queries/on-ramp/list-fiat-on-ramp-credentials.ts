import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id } from '../../wire/common.ts';
import { FiatOnRampCredential, viewFiatOnRampCredential } from '../../wire/on-ramp.ts';

export const listFiatOnRampCredentials = query({
  name: 'list_fiat_on_ramp_credentials',
  summary:
    'The organization’s credentials at on-ramp providers in the order of their creation; their secrets are encrypted to the service',
  params: z.object({ organizationId: Id }),
  result: z.object({ fiatOnRampCredentials: z.array(FiatOnRampCredential) }),
  errors: [],
  run: async ({ organization, read }) =>
    listing(
      {
        name: 'fiatOnRampCredentials',
        page: (page) => read.fiatOnRampCredentials.page(organization.id, page),
        show: (some) => some.map(viewFiatOnRampCredential),
      },
      undefined,
    ),
});
