import { markAttested } from '../../domain/credentials/attested.ts';
import { SESSION_PROFILE_PARAM } from '../../domain/credentials/session-profiles.ts';
import { logIn } from '../../domain/credentials/sessions.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { READ_PROFILE } from '../../model/session-profile.ts';
import { Login, LoginResult } from '../../wire/sessions.ts';

export const stampLogin = activity({
  kind: 'STAMP_LOGIN',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'Log in with any credential: register a key as a session of the stamping user, for a limited time',
  submitters: { from: 'below', needsNoApprovalFor: ({ sessionProfileId }) => sessionProfileId === READ_PROFILE.id },
  custody: 'sessions',
  params: v1(Login),
  policyParams: SESSION_PROFILE_PARAM,
  result: { key: 'stampLoginResult', shape: LoginResult },
  errors: [logIn],
  async execute({ ctx, intent: login }) {
    await markAttested(ctx);
    return logIn(ctx, ctx.submitter.user, login);
  },
});
