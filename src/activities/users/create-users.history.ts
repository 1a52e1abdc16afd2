import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import type { AccessType } from '../../model/user.ts';
import { currentForm } from '../../wire/authenticators.ts';
import { onP256 } from '../../wire/credentials.ts';
import { UserParams, UserParamsV2, UserParamsV3, UserParamsV4 } from '../../wire/users.ts';

const many = <U extends z.ZodType>(user: U) => z.object({ users: z.array(user).min(1, 'must name at least one user').max(100) });

const P2 = many(UserParamsV2);
const P3 = many(UserParamsV3);
const P4 = many(UserParamsV4);

/** The access type, for which later versions have no field. */
type WithAccess<P extends { users: object[] }> = { users: (P['users'][number] & { accessType?: AccessType })[] };

export const params = v1(many(UserParams))
  .toBreak(
    2,
    P2,
    ({ users }): WithAccess<z.output<typeof P2>> => ({
      users: users.map((user) => ({ ...user, authenticators: currentForm(user.authenticators) })),
    }),
  )
  .toBreak(
    3,
    P3,
    ({ users }: WithAccess<z.output<typeof P2>>): WithAccess<z.output<typeof P3>> => ({
      users: users.map((user) => ({ ...user, apiKeys: onP256(user.apiKeys), oauthProviders: [] })),
    }),
  )
  .toBreak(4, P4, (p): WithAccess<z.output<typeof P4>> => p);
