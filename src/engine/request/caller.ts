import { ApiError } from '../../base/errors.ts';
import type { Organization } from '../../model/organization.ts';
import { type Credential, isExpired, stampCurve } from '../../model/user.ts';
import type { Holder, Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import type { Trace } from '../ports.ts';
import type { VerifiedStamp } from './stamp.ts';

/** Notes the caller for the log. */
export function noteCaller(trace: Trace, { user, credential }: Caller): void {
  trace.userId = user.id;
  trace.credentialId = credential.id;
}

/** Looks up an organization that leads to the caller. The request need not name it, so its id is in no error. Throws ORGANIZATION_NOT_FOUND. */
export async function loadOrganization(read: Pick<Reader, 'organizations'>, id: string): Promise<Organization> {
  const organization = await read.organizations.get(id);
  if (organization === undefined) throw new ApiError('ORGANIZATION_NOT_FOUND');
  return organization;
}

/** The organization itself, or its parent, which sets where passkeys may be used. */
export async function topLevelOf(read: Pick<Reader, 'organizations'>, organization: Organization): Promise<Organization> {
  return organization.parentId === null ? organization : loadOrganization(read, organization.parentId);
}

/** Why a credential may not make this stamp now; undefined if it may. */
function refusalOf(credential: Credential, stamp: VerifiedStamp, now: number): ApiError | undefined {
  if (!stamp.scheme.startsWith(`SIGNATURE_SCHEME_TK_API_${stampCurve(credential.type)}`))
    return new ApiError('PUBLIC_KEY_NOT_FOUND');
  if (!isExpired(credential, now)) return undefined;
  return new ApiError(
    'API_KEY_EXPIRED',
    `expired api key: rpc error: code = Unauthenticated desc = expired api key publicKey ${credential.publicKey}`,
  );
}

/** How many registrations of one credential in a parent's sub-organizations are read. */
export const REGISTRATIONS = 100;

/**
 * The registrations that lead to a parent's sub-organizations. If every caller may sign up, a wallet's key counts only if it
 * came with its organization. It was then the only login method. A wallet's key is public, so any owner of an organization may
 * add
 * it there later.
 */
export async function thatCount(
  read: Pick<Reader, 'organizations'>,
  { proxyUserId }: Pick<Organization, 'proxyUserId'>,
  registered: readonly Credential[],
): Promise<Credential[]> {
  const counted: Credential[] = [];
  for (const credential of registered) {
    const isTrusted = proxyUserId === null || stampCurve(credential.type) === 'P256';
    if (isTrusted || (await read.organizations.get(credential.organizationId))?.createdAt === credential.createdAt)
      counted.push(credential);
  }
  return counted;
}

/**
 * The one sub-organization in which this key may stamp now. Unusable registrations, such as expired ones, are ignored.
 * Throws CREDENTIAL_CONFLICT if there are several, or REGISTRATIONS or more registrations.
 */
async function subOrganizationOf(
  read: Reader,
  parent: Organization,
  stamp: VerifiedStamp,
  now: number,
): Promise<string | undefined> {
  const registered = await read.credentials.inSubOrganizations(parent.id, stamp.publicKey, REGISTRATIONS);
  if (registered.length === REGISTRATIONS) throw new ApiError('CREDENTIAL_CONFLICT');
  const counted = await thatCount(read, parent, registered);
  const usable = counted.filter((credential) => refusalOf(credential, stamp, now) === undefined);
  const [first, second] = new Set(usable.map(({ organizationId }) => organizationId));
  if (second !== undefined) throw new ApiError('CREDENTIAL_CONFLICT');
  // If none may stamp, the first registration determines the error.
  return first ?? counted[0]?.organizationId;
}

/**
 * The user who made the stamp: of the named organization, else of its parent. `own` is the holder in the named organization. If
 * `own` is refused, the parent's holder may still count. With `below`, also a user of the one sub-organization in which the key
 * may stamp. If no user is found, the first refusal is thrown.
 */
export async function resolveCaller(
  read: Reader,
  target: Organization,
  stamp: VerifiedStamp,
  now: number,
  own: Holder | undefined,
  below = false,
): Promise<Caller> {
  const refusal = own && refusalOf(own.credential, stamp, now);
  if (own && refusal === undefined) return { organization: target, ...own };
  const elsewhere = target.parentId ?? (below ? await subOrganizationOf(read, target, stamp, now) : undefined);
  if (elsewhere === undefined) throw refusal ?? new ApiError('PUBLIC_KEY_NOT_FOUND');
  // Read first: a decision by this version must not be based on older rows.
  const organization = await loadOrganization(read, elsewhere);
  const holder = await read.credentials.holder(elsewhere, stamp.publicKey);
  if (holder === undefined) throw refusal ?? new ApiError('PUBLIC_KEY_NOT_FOUND');
  const refusedThere = refusalOf(holder.credential, stamp, now);
  if (refusedThere !== undefined) throw refusal ?? refusedThere;
  return { organization, ...holder };
}
