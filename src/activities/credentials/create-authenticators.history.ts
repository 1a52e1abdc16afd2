import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { AuthenticatorParams, AuthenticatorParamsV2, currentForm, MANY_AUTHENTICATORS } from '../../wire/authenticators.ts';
import { Id } from '../../wire/common.ts';

const NONE = 'must name at least one authenticator';

const P1 = z
  .object({ authenticators: z.array(AuthenticatorParams).min(1, NONE).max(MANY_AUTHENTICATORS), userId: Id })
  .superRefine(({ authenticators, userId }, ctx) => {
    for (const [i, authenticator] of authenticators.entries())
      if (authenticator.userId.toLowerCase() !== userId)
        ctx.addIssue({ code: 'custom', path: ['authenticators', i, 'userId'], message: 'must name the same user as userId' });
  });
const P2 = z.object({ authenticators: z.array(AuthenticatorParamsV2).min(1, NONE).max(MANY_AUTHENTICATORS), userId: Id });

export const params = v1(P1).to(2, P2, (p) => ({ userId: p.userId, authenticators: currentForm(p.authenticators) }));
