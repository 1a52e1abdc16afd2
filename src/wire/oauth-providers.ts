import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import { LONGEST_CLAIM, type OauthProvider as OauthProviderModel } from '../model/oauth-provider.ts';
import { IdOut, Label, Timestamp } from './common.ts';

/** A JWT, or one in base64. */
export const LONGEST_TOKEN = 16_384;

export const OidcTokenText = z
  .string()
  .min(1, 'must not be empty')
  .max(LONGEST_TOKEN, `must have at most ${LONGEST_TOKEN} characters`);

const claim = (longest: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(longest, `must have at most ${longest} characters`)
    .regex(/^\P{Cc}*$/u, 'must not have control characters');

export const OidcClaims = z.object({
  iss: claim(LONGEST_CLAIM.iss),
  sub: claim(LONGEST_CLAIM.sub),
  aud: claim(LONGEST_CLAIM.aud),
});

/** Version 1: by a token. */
export const OauthProviderParams = z.object({ providerName: Label, oidcToken: OidcTokenText });

/** By a token, or by claims that accompany a token. */
export const OauthProviderParamsV2 = z
  .object({ providerName: Label, oidcToken: OidcTokenText.optional(), oidcClaims: OidcClaims.optional() })
  .refine(({ oidcToken, oidcClaims }) => (oidcToken === undefined) !== (oidcClaims === undefined), {
    error: 'must have either oidcToken or oidcClaims',
  });

export type NewOauthProvider = z.output<typeof OauthProviderParamsV2>;

/** The most in one request. It is more than a user may have. So a request with too many gets the error about the limit. */
export const MANY_OAUTH_PROVIDERS = 100;

export const OauthProvider = z.object({
  providerId: IdOut,
  providerName: z.string(),
  issuer: z.string(),
  audience: z.string(),
  subject: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export function viewOauthProvider(p: OauthProviderModel): z.output<typeof OauthProvider> {
  return {
    providerId: p.id,
    providerName: p.name,
    issuer: p.issuer,
    audience: p.audience,
    subject: p.subject,
    createdAt: wireTimestamp(p.createdAt),
    updatedAt: wireTimestamp(p.updatedAt),
  };
}
