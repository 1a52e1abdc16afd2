import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { OidcPort, VerifiedToken } from '../../engine/ports.ts';
import { badToken } from '../../login/oidc/token.ts';
import { emailKey } from '../../model/contacts.ts';
import type { Limits } from '../../model/limits.ts';
import type { OauthProvider, OidcIdentity } from '../../model/oauth-provider.ts';
import { type Organization, topLevelIdOf } from '../../model/organization.ts';
import type { User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';
import type { NewOauthProvider } from '../../wire/oauth-providers.ts';
import type { Ctx } from '../context.ts';
import { markEmailVerified } from '../people/user-changes.ts';

/** A provider to be added. One that was sent as claims has no token of its own. */
export type VerifiedProvider = { name: string; identity: OidcIdentity; token: VerifiedToken | undefined };

export type Verifying = { oidc: OidcPort; organization: Organization; limits: Limits; now: number };

/** Tokens of one request. Each may cost a question to an issuer, and verifications. */
const MOST_TOKENS = 100;

/** The providers of one user, and their field. */
type Wanted = { providers: readonly NewOauthProvider[]; field: string };

const exceeded = (limit: number) =>
  new ApiError('LIMIT_EXCEEDED', `user has exceeded maximum oauth providers: at most ${limit} (LIMIT_OAUTH_PROVIDERS)`);

/**
 * Verifies the tokens of users' providers, for `prepare`: asks their issuers. Throws INVALID_OIDC_TOKEN and `Unreachable`.
 * `organization`: the users' organization, which may be a new one.
 */
export async function verifyOauthProviders(
  { oidc, organization, limits, now }: Verifying,
  wanted: readonly Wanted[],
): Promise<VerifiedProvider[][]> {
  const given = wanted.flatMap(({ providers, field }) =>
    providers.map(({ oidcToken }, i) => ({ token: oidcToken, field: `${field}[${i}].oidcToken` })),
  );
  if (given.length === 0) return wanted.map(() => []);
  if (wanted.some(({ providers }) => providers.length > limits.oauthProviders)) throw exceeded(limits.oauthProviders);
  const tokens = given.filter((one): one is { token: string; field: string } => one.token !== undefined);
  const tooMany = tokens[MOST_TOKENS];
  if (tooMany !== undefined) throw invalid(tooMany.field, `is beyond the ${MOST_TOKENS} tokens that one request may have`);
  const verified = await oidc.verify(tokens, { now, payer: topLevelIdOf(organization) });
  return wanted.map(({ providers }) =>
    providers.map(({ providerName: name, oidcClaims }): VerifiedProvider => {
      if (oidcClaims !== undefined) {
        const { iss: issuer, aud: audience, sub: subject } = oidcClaims;
        return { name, identity: { issuer, audience, subject }, token: undefined };
      }
      const token = verified.shift()!;
      const { issuer, audience, subject } = token;
      return { name, identity: { issuer, audience, subject }, token };
    }),
  );
}
verifyOauthProviders.errors = errorsOf('REQUEST_INVALID', 'LIMIT_EXCEEDED', 'INVALID_OIDC_TOKEN');

/** Whether a trusted issuer says that an address belongs to its account. */
export function vouchFor(providers: readonly VerifiedProvider[], email: string | undefined): boolean {
  const emails = providers.flatMap(({ token }) => token?.verifiedEmail ?? []);
  return email !== undefined && emails.some((verified) => emailKey(verified) === emailKey(email));
}

/** Claims are trusted if a token proved the same person: only the audience may differ. */
function requireProof(claims: OidcIdentity, proven: readonly OidcIdentity[], field: string): void {
  if (!proven.some(({ issuer, subject }) => issuer === claims.issuer && subject === claims.subject))
    throw badToken(field, 'needs proof of its iss and sub: an oidcToken in the same list, or an existing provider of the user');
}

/** The providers that the user has. Throws LIMIT_EXCEEDED unless this number may be added. */
export async function requireRoomForProviders(
  read: Pick<Reader, 'oauthProviders'>,
  user: Pick<User, 'organizationId' | 'id'>,
  more: number,
  { oauthProviders: limit }: Limits,
): Promise<OauthProvider[]> {
  const present = await read.oauthProviders.listByUser(user.organizationId, user.id);
  if (present.length + more > limit) throw exceeded(limit);
  return present;
}
requireRoomForProviders.errors = errorsOf('LIMIT_EXCEEDED');

/**
 * Adds verified providers to a user; returns their ids. Marks the user's email address as verified if one of them vouches for
 * it.
 */
export async function addOauthProviders(
  ctx: Ctx,
  user: User,
  providers: readonly VerifiedProvider[],
  field: string,
): Promise<string[]> {
  const { store, ids, now, limits } = ctx;
  if (providers.length === 0) return [];
  const { organizationId, parentId, id: userId } = user;
  const present = await requireRoomForProviders(store, user, providers.length, limits);
  const proven = [...present, ...providers.filter(({ token }) => token !== undefined).map(({ identity }) => identity)];
  const added: string[] = [];
  for (const [i, { name, identity, token }] of providers.entries()) {
    if (token === undefined) requireProof(identity, proven, `${field}[${i}].oidcClaims`);
    const row = { organizationId, id: ids.next(), parentId, userId, name, ...identity, createdAt: now, updatedAt: now };
    if (!(await store.oauthProviders.insert(row)))
      throw new ApiError('OAUTH_PROVIDER_ALREADY_EXISTS', undefined, {
        violations: [{ field: `${field}[${i}]`, description: 'another provider has the same issuer, audience and subject' }],
      });
    added.push(row.id);
  }
  const verified = providers.flatMap(({ token }) => token?.verifiedEmail ?? []);
  for (const email of verified) await markEmailVerified(ctx, user, email);
  return added;
}
addOauthProviders.errors = errorsOf(requireRoomForProviders, 'INVALID_OIDC_TOKEN', 'OAUTH_PROVIDER_ALREADY_EXISTS');
