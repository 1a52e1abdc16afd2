import { ApiError } from '../../base/errors.ts';
import { type Contact, contactCredential, providerCredential } from '../../model/attested.ts';
import { identityDigest } from '../../model/oauth-provider.ts';
import { featureIsOn, type Organization } from '../../model/organization.ts';
import { holdsIn } from '../../model/token.ts';
import type { User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import type { AttestationPort, AttestedFor, AttestedStamp, VerifiedToken } from '../ports.ts';
import { loadOrganization } from './caller.ts';

/**
 * The inputs of a search for the caller. `own`: search in the named organization too. `below`: in its sub-organizations too.
 */
type Search = {
  attestations: AttestationPort;
  read: Reader;
  target: Organization;
  stamp: AttestedStamp;
  now: number;
  own: boolean;
  below: boolean;
};

type ByContact = AttestedFor & { by: Contact };
type Found = { organization: Organization; user: User };

/** The feature that lets a verified contact attest stamps. */
export const CONTACT_FEATURES = { email: 'FEATURE_NAME_OTP_EMAIL_AUTH', phone: 'FEATURE_NAME_SMS_AUTH' };

const notFound = (what?: string) => {
  const { message } = new ApiError('PUBLIC_KEY_NOT_FOUND');
  return new ApiError('PUBLIC_KEY_NOT_FOUND', what === undefined ? message : `${message}: ${what}`);
};

/** Depends only on the named organization, so that it reveals nothing about its users. */
const VERIFIED_ALONE =
  'the auth proxy of this organization is on, so only a verified contact is accepted: name the sub-organization, or sign up';
const conflict = (whose: string) => new ApiError('CREDENTIAL_CONFLICT', `more than one ${whose}: name the sub-organization`);

/** The only id of at most two. Throws CREDENTIAL_CONFLICT. */
function only([first, second]: readonly string[], what: string): string | undefined {
  if (second !== undefined) throw conflict(`suborg associated with ${what}`);
  return first;
}

const WHAT = { email: 'an email address', phone: 'a phone number' };

/** A user of this organization, if it accepts its tokens: the organization or its parent must have issued the token. */
async function withContact({ read }: Search, organization: Organization, claims: ByContact) {
  const { by, forms, issuedIn } = claims;
  if (!holdsIn(claims, organization)) return undefined;
  if (issuedIn !== organization.id && issuedIn !== organization.parentId) return undefined;
  for (const verified of [true, false]) {
    const found = await Promise.all(
      forms.map((contact) => read.users.withContact(organization.id, { kind: by, contact, verified }, 2)),
    );
    const [user, second] = found.flat();
    if (second !== undefined) throw conflict(`user of the organization has ${WHAT[by]}`);
    if (user !== undefined) return { organization, user };
  }
  return undefined;
}

/** The one sub-organization with a user who has the contact. */
async function belowBy(search: Search, claims: ByContact, isVerified: boolean): Promise<Found | undefined> {
  const { read, target } = search;
  const { by, forms, issuedIn } = claims;
  if (issuedIn !== target.id) return undefined;
  const attribute = by === 'email' ? 'EMAIL' : 'PHONE_NUMBER';
  const filter = { by: isVerified ? (`VERIFIED_${attribute}` as const) : attribute, values: forms } as const;
  const id = only(await read.organizations.subOrganizationIds(target.id, filter, { limit: 2 }), WHAT[by]);
  return id === undefined ? undefined : withContact(search, await loadOrganization(read, id), claims);
}

/** A stranger may sign up at an auth proxy with the contact of another person. */
const leadsToVerifiedAlone = ({ parentId, proxyUserId }: Organization): boolean => parentId === null && proxyUserId !== null;

const isVerified = ({ user }: Found, by: Contact): boolean => (by === 'email' ? user.emailVerified : user.phoneVerified);

/**
 * A user with a verified contact comes first, here and below. Otherwise any user who has the contact: the token proves the
 * contact, and a login marks it as verified.
 */
async function byContact(search: Search, claims: ByContact): Promise<Found | undefined> {
  const { read, target } = search;
  const own = search.own ? await withContact(search, target, claims) : undefined;
  if (own !== undefined && isVerified(own, claims.by)) return own;
  if (target.parentId !== null) return own ?? withContact(search, await loadOrganization(read, target.parentId), claims);
  if (!search.below) return own;
  const known = (await belowBy(search, claims, true)) ?? own;
  return known !== undefined || leadsToVerifiedAlone(target) ? known : belowBy(search, claims, false);
}

async function contactCaller(search: Search, claims: ByContact): Promise<Caller> {
  const { by, expiresAt } = claims;
  const found = await byContact(search, claims);
  const { target, below } = search;
  if (found === undefined) throw notFound(below && leadsToVerifiedAlone(target) ? VERIFIED_ALONE : undefined);
  const { organization, user } = found;
  const feature = CONTACT_FEATURES[by];
  if (!featureIsOn(organization, feature))
    throw new ApiError(
      'REQUEST_NOT_AUTHORIZED',
      `request not authorized: ${feature} is off in the organization ${organization.id}`,
    );
  return { organization, user, credential: contactCredential(user, by, { publicKey: search.stamp.publicKey, expiresAt })! };
}

/** A token is verified once for each request, because the caller may be looked up again. */
const verified = new WeakMap<AttestedStamp, Promise<VerifiedToken>>();

function verifiedOnce({ attestations, target, stamp, now }: Search): Promise<VerifiedToken> {
  let known = verified.get(stamp);
  if (known === undefined) {
    known = attestations.verify(stamp, { now, payer: `attested ${target.parentId ?? target.id}` });
    verified.set(stamp, known);
  }
  return known;
}

/**
 * No user logs in to a top-level organization by an OAuth provider. The token's issuer is asked only if a user here has this
 * provider. A refused token gives the same answer as a provider that no user has.
 */
async function providerCaller(search: Search, { identity }: AttestedFor & { by: 'oidc' }): Promise<Caller> {
  const { read, target, stamp } = search;
  const filter = { by: 'OIDC_IDENTITY', values: [identityDigest(identity)] } as const;
  const isTop = target.parentId === null;
  const here = search.own && !isTop ? [target.id] : [];
  const ids = isTop && search.below ? await read.organizations.subOrganizationIds(target.id, filter, { limit: 2 }) : here;
  const [id] = ids;
  if (id === undefined) throw notFound();
  // Read first: a decision by this version must not be based on older rows.
  const organization = isTop ? await loadOrganization(read, id) : target;
  const provider = await read.oauthProviders.byIdentity(id, identity);
  const user = provider && (await read.users.get(id, provider.userId));
  if (user === undefined) throw notFound();
  const { verifiedEmail } = await verifiedOnce(search).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'INVALID_OIDC_TOKEN' ? notFound() : error;
  });
  only(ids, 'an OIDC token');
  const credential = providerCredential(provider!, { publicKey: stamp.publicKey, expiresAt: null });
  return { organization, user, credential, ...(verifiedEmail === undefined ? {} : { verifiedEmail }) };
}

/**
 * The user whom the attestation of a stamp identifies. Searched in the named organization, unless `own` is false, else in its
 * parent. With `below`, also a user of the one sub-organization where it identifies a user. Throws PUBLIC_KEY_NOT_FOUND,
 * CREDENTIAL_CONFLICT, SIGNATURE_INVALID, INVALID_OIDC_TOKEN, REQUEST_NOT_AUTHORIZED and `Unreachable`.
 */
export async function resolveAttestedCaller(
  attestations: AttestationPort,
  read: Reader,
  target: Organization,
  stamp: AttestedStamp,
  now: number,
  { own = true, below = false } = {},
): Promise<Caller> {
  const claims = await attestations.read(stamp, now);
  const search: Search = { attestations, read, target, stamp, now, own, below };
  return claims.by === 'oidc' ? providerCaller(search, claims) : contactCaller(search, claims);
}
