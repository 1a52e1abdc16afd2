import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { AuthenticatorParams, AuthenticatorParamsV2, currentForm } from '../../wire/authenticators.ts';
import { Id, Label } from '../../wire/common.ts';
import { RequiredEmail } from '../../wire/invitations.ts';

const about = {
  organizationName: Label,
  rootEmail: RequiredEmail,
  rootUserId: Id.optional().describe('Accepted but not used: the service creates the id'),
};

/** V2 takes the passkey in the current form. */
export const params = v1(z.object({ ...about, rootAuthenticator: AuthenticatorParams })).to(
  2,
  z.object({ ...about, rootAuthenticator: AuthenticatorParamsV2 }),
  ({ rootAuthenticator, ...rest }) => ({ ...rest, rootAuthenticator: currentForm([rootAuthenticator])[0]! }),
);

export type CreateOrganization = ReturnType<typeof params.raise>;
