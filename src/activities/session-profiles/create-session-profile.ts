import { z } from 'zod';
import { addSessionProfile } from '../../domain/credentials/session-profiles.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { reviewScope } from '../../engine/decision/new-texts.ts';
import { ExpirationSeconds, IdOut, Label } from '../../wire/common.ts';
import { Expression, Notes } from '../../wire/policies.ts';

/** A blank condition would be true of every activity. */
const Scope = Expression.regex(/\S/, 'must not be blank: a session without a profile may submit everything');

export const createSessionProfile = activity({
  kind: 'CREATE_SESSION_PROFILE',
  resource: 'SESSION_PROFILE',
  action: 'CREATE',
  summary: 'Create a session profile: it limits what sessions of the organization and its sub-organizations may submit',
  submitters: { from: 'top-level' },
  params: v1(
    z.object({
      sessionProfileName: Label,
      scope: Scope,
      expirationSeconds: ExpirationSeconds.optional(),
      notes: Notes.optional(),
    }),
  ),
  result: { key: 'createSessionProfileResult', shape: z.object({ sessionProfileId: IdOut }) },
  errors: [reviewScope, addSessionProfile],
  check: ({ ctx: { policies }, intent: { scope } }) => void policies.checkScope(scope, 'parameters.scope'),
  async review({ ctx, intent: { scope } }) {
    reviewScope(ctx, scope, 'parameters.scope');
  },
  async execute({ ctx, intent }) {
    return { sessionProfileId: await addSessionProfile(ctx, intent) };
  },
});
