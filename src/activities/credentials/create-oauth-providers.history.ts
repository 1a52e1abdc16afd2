import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { Id } from '../../wire/common.ts';
import { MANY_OAUTH_PROVIDERS, OauthProviderParams, OauthProviderParamsV2 } from '../../wire/oauth-providers.ts';

const ofUser = <P extends z.ZodType>(provider: P) =>
  z.object({
    userId: Id,
    oauthProviders: z.array(provider).min(1, 'must name at least one OAuth provider').max(MANY_OAUTH_PROVIDERS),
  });

export const params = v1(ofUser(OauthProviderParams)).to(2, ofUser(OauthProviderParamsV2), (p) => p);
