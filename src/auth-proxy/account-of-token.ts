import { storedForms } from '../domain/sub-organizations.ts';
import type { VerifiedToken } from '../engine/ports.ts';
import { identityDigest } from '../model/oauth-provider.ts';
import type { SubOrganizationFilter } from '../store/types.ts';
import type { ProxyContext } from './declare.ts';

type Asking = Pick<ProxyContext, 'engine' | 'organization' | 'config' | 'now'>;

/**
 * What an OIDC token says. May ask its issuer, for a bounded time: on shares of the proxy's own, so that whoever comes without a stamp
 * holds up nobody who has one. Throws INVALID_OIDC_TOKEN and `Unreachable`.
 */
export async function verifyOidcToken(
  { engine, organization, now }: Asking,
  token: string,
  field: string,
): Promise<VerifiedToken> {
  const [verified] = await engine.oidc.verify([{ token, field }], { now, payer: `proxy ${organization.id}` });
  return verified!;
}

/** The email address by which a token may be linked to an account: Google vouches for it, to an application that is configured for that. */
export function linkableEmail(
  { config }: Pick<Asking, 'config'>,
  { audience, verifiedEmail }: VerifiedToken,
): string | undefined {
  return config.settings.socialLinkingClientIds.includes(audience) ? verifiedEmail : undefined;
}

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
export async function accountOfToken(ctx: Asking, token: VerifiedToken): Promise<AccountOfToken | undefined> {
  const linked = await oldestAccount(ctx, { by: 'OIDC_IDENTITY', values: [identityDigest(token)] });
  if (linked !== undefined) return { organizationId: linked, isLinked: true };
  const email = linkableEmail(ctx, token);
  if (email === undefined) return undefined;
  const owner = await oldestAccount(ctx, { by: 'VERIFIED_EMAIL', values: storedForms('EMAIL', email) });
  return owner === undefined ? undefined : { organizationId: owner, isLinked: false };
}
