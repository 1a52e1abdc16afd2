import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { AuthenticatorParams, AuthenticatorParamsV2, currentForm } from '../../wire/authenticators.ts';
import { Id } from '../../wire/common.ts';

const about = { invitationId: Id, userId: Id };

/** V2 takes the passkey in the current form. */
export const params = v1(z.object({ ...about, authenticator: AuthenticatorParams })).to(
  2,
  z.object({ ...about, authenticator: AuthenticatorParamsV2 }),
  ({ authenticator, ...rest }) => ({ ...rest, authenticator: currentForm([authenticator])[0]! }),
);

export type AcceptInvitation = ReturnType<typeof params.raise>;
