import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { Authenticator, viewAuthenticator } from '../../wire/authenticators.ts';
import { Id } from '../../wire/common.ts';

export const getAuthenticator = query({
  name: 'get_authenticator',
  summary: 'One passkey of a user of the organization',
  params: z.object({ organizationId: Id, authenticatorId: Id }),
  result: z.object({ authenticator: Authenticator }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { authenticatorId }) {
    const found = await read.authenticators.get(organization.id, authenticatorId);
    if (found === undefined)
      throw new ApiError(
        'NOT_FOUND',
        `webauthn authenticator not found in organization: authenticatorId names ${authenticatorId}`,
      );
    return { authenticator: viewAuthenticator(found) };
  },
});
