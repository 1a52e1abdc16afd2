import { z } from 'zod';
import { newReadOnlySession } from '../../domain/credentials/read-only-sessions.ts';
import { ownerOf } from '../../domain/credentials/sessions.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { SessionOwner } from '../../wire/sessions.ts';

export const createReadOnlySession = activity({
  kind: 'CREATE_READ_ONLY_SESSION',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'Create a session that may read as the stamping user for an hour, without further stamps',
  submitters: { from: 'below', needsNoApproval: true },
  custody: 'one-time',
  resultSecrets: ['session'],
  params: v1(z.object({})),
  result: {
    key: 'createReadOnlySessionResult',
    shape: SessionOwner.extend({ session: z.string(), sessionExpiry: z.string() }),
  },
  errors: [],
  async execute({ ctx }) {
    const { user, credential } = ctx.submitter;
    return { ...ownerOf(ctx.organization, user), ...(await newReadOnlySession(ctx, user, credential)) };
  },
});
