import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id } from '../../wire/common.ts';

export const oauth2Authenticate = activity({
  kind: 'OAUTH2_AUTHENTICATE',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'OAUTH2_AUTHENTICATE: say in a few words what it does',
  params: v1(
    z.object({
      oauth2CredentialId: Id,
      authCode: z.string().max(1000),
      redirectUri: z.string().max(1000),
      codeVerifier: z.string().max(1000),
      nonce: z.string().max(1000),
      bearerTokenTargetPublicKey: z.string().max(1000).optional(),
    }),
  ),
  policyParams: {},
  result: { key: 'oauth2AuthenticateResult', shape: z.object({ oidcToken: z.string() }) },
  errors: ['REQUEST_INVALID'],
  async execute() {
    throw new Error('OAUTH2_AUTHENTICATE is not written yet');
  },
});
