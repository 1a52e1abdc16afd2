import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { ExpirationSeconds, IdOut, Label } from '../../wire/common.ts';

export const oauth = activity({
  kind: 'OAUTH',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'OAUTH: say in a few words what it does',
  params: v1(
    z.object({
      oidcToken: z.string().max(1000),
      targetPublicKey: z.string().max(1000),
      apiKeyName: Label.optional(),
      expirationSeconds: ExpirationSeconds.optional(),
      invalidateExisting: z.boolean().optional(),
    }),
  ),
  policyParams: {},
  result: { key: 'oauthResult', shape: z.object({ userId: IdOut, apiKeyId: IdOut, credentialBundle: z.string() }) },
  errors: ['REQUEST_INVALID'],
  async execute() {
    throw new Error('OAUTH is not written yet');
  },
});
