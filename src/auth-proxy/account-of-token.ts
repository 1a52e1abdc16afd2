import { storedForms } from '../domain/people/sub-organizations.ts';
import type { VerifiedToken } from '../engine/ports.ts';
import { identityDigest, type OidcIdentity } from '../model/oauth-provider.ts';
import type { SubOrganizationFilter } from '../store/types.ts';
import type { ProxyContext } from './declare.ts';

const GOOGLE = 'https://accounts.google.com';

type Asking = Pick<ProxyContext, 'engine' | 'organization' | 'config' | 'now'>;

/** Whether an account elsewhere may be linked by its email address: Google's, at an application that is configured for that. */
const mayLink = ({ config }: Pick<Asking, 'config'>, { issuer, audience }: OidcIdentity): boolean =>
  issuer === GOOGLE && config.settings.socialLinkingClientIds.includes(audience);

/** Whether Google issued it to a client of this application: then it may vouch for an email address. */
const mayVouch = ({ config: { settings } }: Pick<Asking, 'config'>, { issuer, audience }: OidcIdentity): boolean =>
  issuer === GOOGLE &&
  [...settings.socialLinkingClientIds, ...Object.values(settings.walletKitSettings.oauthClientIds)].includes(audience);

/** What an OIDC token says before it is verified. Throws INVALID_OIDC_TOKEN. */
export const claimsOf = ({ engine, now }: Pick<Asking, 'engine' | 'now'>, token: string, field: string): OidcIdentity =>
  engine.oidc.claimed({ token, field }, { now });

/**
 * What an OIDC token says, if it can be of somebody here. Undefined otherwise, and nobody is asked: a stranger's tokens must not make us
 * ask hosts of theirs, which need not answer. May ask its issuer, for a bounded time: on shares of the proxy's own for each issuer, so
 * that an issuer that does not answer holds up its own people alone. Throws INVALID_OIDC_TOKEN and `Unreachable`.
 */
export async function verifyOidcToken(ctx: Asking, token: string, field: string): Promise<VerifiedToken | undefined> {
  const { engine, organization, now } = ctx;
  const claims = claimsOf(ctx, token, field);
  const isKnown = async () => (await oldestAccount(ctx, { by: 'OIDC_IDENTITY', values: [identityDigest(claims)] })) !== undefined;
  if (!mayVouch(ctx, claims) && !(await isKnown())) return undefined;
  const [verified] = await engine.oidc.verify([{ token, field }], { now, payer: `proxy ${organization.id} ${claims.issuer}` });
  return verified;
}

/** The email address by which a token may be linked to an account: Google vouches for it, to an application that is configured for that. */
export const linkableEmail = (ctx: Pick<Asking, 'config'>, token: VerifiedToken | undefined): string | undefined =>
  token !== undefined && mayLink(ctx, token) ? token.verifiedEmail : undefined;

/** The email address that a token shows to be its holder's: Google vouches for it, to a client of this application. */
export const vouchedEmail = (ctx: Pick<Asking, 'config'>, token: VerifiedToken | undefined): string | undefined =>
  token !== undefined && mayVouch(ctx, token) ? token.verifiedEmail : undefined;

/** The sub-organization of whoever signed up first: nobody who comes later with the same name or key takes their place. */
export async function oldestAccount(
  { engine, organization }: Pick<Asking, 'engine' | 'organization'>,
  filter: SubOrganizationFilter,
): Promise<string | undefined> {
  const [id] = await engine.store.read.organizations.subOrganizationIds(organization.id, filter, { limit: 1 });
  return id;
}

/** `isLinked`: a user there has the token's identity as a provider. Otherwise, one has the same email address, verified. */
export type AccountOfToken = { organizationId: string; isLinked: boolean };

/** Where a login with the token leads. Undefined: nowhere, so that it is for a sign-up. */
export async function accountOfToken(ctx: Asking, token: VerifiedToken | undefined): Promise<AccountOfToken | undefined> {
  if (token === undefined) return undefined;
  const linked = await oldestAccount(ctx, { by: 'OIDC_IDENTITY', values: [identityDigest(token)] });
  if (linked !== undefined) return { organizationId: linked, isLinked: true };
  const email = linkableEmail(ctx, token);
  if (email === undefined) return undefined;
  const owner = await oldestAccount(ctx, { by: 'VERIFIED_EMAIL', values: storedForms('EMAIL', email) });
  return owner === undefined ? undefined : { organizationId: owner, isLinked: false };
}
