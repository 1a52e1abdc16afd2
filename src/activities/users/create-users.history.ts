import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { currentForm } from '../../wire/authenticators.ts';
import { onP256 } from '../../wire/credentials.ts';
import { UserParams, UserParamsV2, UserParamsV3, UserParamsV4 } from '../../wire/users.ts';

const many = <U extends z.ZodType>(user: U) => z.object({ users: z.array(user).min(1, 'must name at least one user').max(100) });

export const params = v1(many(UserParams))
  .to(2, many(UserParamsV2), ({ users }) => ({
    users: users.map(({ accessType: _, ...user }) => ({ ...user, authenticators: currentForm(user.authenticators) })),
  }))
  .to(3, many(UserParamsV3), ({ users }) => ({
    users: users.map((user) => ({ ...user, apiKeys: onP256(user.apiKeys), oauthProviders: [] })),
  }))
  .to(4, many(UserParamsV4), (p) => p);
