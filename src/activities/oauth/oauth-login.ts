import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { ExpirationSeconds, Id } from '../../wire/common.ts';

export const oauthLogin = activity({
  kind: 'OAUTH_LOGIN',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'OAUTH_LOGIN: say in a few words what it does',
  params: v1(
    z.object({
      oidcToken: z.string().max(1000),
      publicKey: z.string().max(1000),
      expirationSeconds: ExpirationSeconds.optional(),
      invalidateExisting: z.boolean().optional(),
      sessionProfileId: Id.optional(),
    }),
  ),
  policyParams: {},
  result: { key: 'oauthLoginResult', shape: z.object({ session: z.string() }) },
  errors: ['REQUEST_INVALID'],
  async execute() {
    throw new Error('OAUTH_LOGIN is not written yet');
  },
});
