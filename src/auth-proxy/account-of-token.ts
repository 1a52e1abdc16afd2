import { storedForms } from '../domain/people/sub-organizations.ts';
import type { VerifiedToken } from '../engine/ports.ts';
import { identityDigest, type OidcIdentity } from '../model/oauth-provider.ts';
import type { SubOrganizationFilter } from '../store/types.ts';
import type { ProxyContext } from './declare.ts';

const GOOGLE = 'https://accounts.google.com';

type Asking = Pick<ProxyContext, 'engine' | 'organization' | 'config' | 'now'>;

/**
 * Whether an external account may be linked by its email address. It must be Google's, at an application that is configured for
 * it.
 */
const mayLink = ({ config }: Pick<Asking, 'config'>, { issuer, audience }: OidcIdentity): boolean =>
  issuer === GOOGLE && config.settings.socialLinkingClientIds.includes(audience);

/** Whether Google issued it to a client of this application: then it may vouch for an email address. */
const mayVouch = ({ config: { settings } }: Pick<Asking, 'config'>, { issuer, audience }: OidcIdentity): boolean =>
  issuer === GOOGLE &&
  [...settings.socialLinkingClientIds, ...Object.values(settings.walletKitSettings.oauthClientIds)].includes(audience);

/** The claims of an OIDC token before it is verified. Throws INVALID_OIDC_TOKEN. */
export const claimsOf = ({ engine, now }: Pick<Asking, 'engine' | 'now'>, token: string, field: string): OidcIdentity =>
  engine.oidc.claimed({ token, field }, { now });

/**
 * The contents of an OIDC token, if it may belong to a user here. Otherwise undefined, and no issuer is asked. A stranger's
 * token must not make the service call a host of the stranger's choice, which need not answer. May ask its issuer, for a
 * limited time. The proxy has its own shares of concurrent requests for each issuer. So an issuer that does not answer delays
 * only its own users. Throws INVALID_OIDC_TOKEN and `Unreachable`.
 */
export async function verifyOidcToken(ctx: Asking, token: string, field: string): Promise<VerifiedToken | undefined> {
  const { engine, organization, now } = ctx;
  const claims = claimsOf(ctx, token, field);
  const isKnown = async () => (await oldestAccount(ctx, { by: 'OIDC_IDENTITY', values: [identityDigest(claims)] })) !== undefined;
  if (!mayVouch(ctx, claims) && !(await isKnown())) return undefined;
  const [verified] = await engine.oidc.verify([{ token, field }], { now, payer: `proxy ${organization.id} ${claims.issuer}` });
  return verified;
}

/**
 * The email address by which a token may be linked to an account. Google must vouch for it, to an application that is
 * configured for it.
 */
export const linkableEmail = (ctx: Pick<Asking, 'config'>, token: VerifiedToken | undefined): string | undefined =>
  token !== undefined && mayLink(ctx, token) ? token.verifiedEmail : undefined;

/** The email address that a token proves to be its holder's. Google must vouch for it, to a client of this application. */
export const vouchedEmail = (ctx: Pick<Asking, 'config'>, token: VerifiedToken | undefined): string | undefined =>
  token !== undefined && mayVouch(ctx, token) ? token.verifiedEmail : undefined;

/** The sub-organization that signed up first. A later one with the same name or key does not replace it. */
export async function oldestAccount(
  { engine, organization }: Pick<Asking, 'engine' | 'organization'>,
  filter: SubOrganizationFilter,
): Promise<string | undefined> {
  const [id] = await engine.store.read.organizations.subOrganizationIds(organization.id, filter, { limit: 1 });
  return id;
}

/**
 * `isLinked`: a user there has the token's identity as a provider. Otherwise, a user there has the same email address,
 * verified.
 */
export type AccountOfToken = { organizationId: string; isLinked: boolean };

/** The account that a login with the token leads to. Undefined: none, so the token is for a sign-up. */
export async function accountOfToken(ctx: Asking, token: VerifiedToken | undefined): Promise<AccountOfToken | undefined> {
  if (token === undefined) return undefined;
  const linked = await oldestAccount(ctx, { by: 'OIDC_IDENTITY', values: [identityDigest(token)] });
  if (linked !== undefined) return { organizationId: linked, isLinked: true };
  const email = linkableEmail(ctx, token);
  if (email === undefined) return undefined;
  const owner = await oldestAccount(ctx, { by: 'VERIFIED_EMAIL', values: storedForms('EMAIL', email) });
  return owner === undefined ? undefined : { organizationId: owner, isLinked: false };
}
