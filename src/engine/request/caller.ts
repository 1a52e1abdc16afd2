import { ApiError } from '../../base/errors.ts';
import type { Organization } from '../../model/organization.ts';
import { type Credential, isExpired, stampCurve } from '../../model/user.ts';
import type { Holder, Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import type { Trace } from '../ports.ts';
import type { VerifiedStamp } from './stamp.ts';

/** Notes for the log who asks. */
export function noteCaller(trace: Trace, { user, credential }: Caller): void {
  trace.userId = user.id;
  trace.credentialId = credential.id;
}

/** Looks the organization up that a request names. */
export async function loadOrganization(read: Reader, id: string): Promise<Organization> {
  const organization = await read.organizations.get(id);
  if (organization === undefined) throw new ApiError('ORGANIZATION_NOT_FOUND');
  return organization;
}

/** Why a credential may not be stamped with, this way and now; undefined if it may. */
function refusalOf(credential: Credential, stamp: VerifiedStamp, now: number): ApiError | undefined {
  if (!stamp.scheme.startsWith(`SIGNATURE_SCHEME_TK_API_${stampCurve(credential.type)}`))
    return new ApiError('PUBLIC_KEY_NOT_FOUND');
  if (!isExpired(credential, now)) return undefined;
  return new ApiError(
    'API_KEY_EXPIRED',
    `expired api key: rpc error: code = Unauthenticated desc = expired api key publicKey ${credential.publicKey}`,
  );
}

/** How many registrations of one key in the sub-organizations of a parent are looked at. */
const REGISTRATIONS = 100;

/**
 * The one sub-organization in which this key may stamp now. Registrations that may not, such as expired ones, take no part.
 * Throws CREDENTIAL_CONFLICT if there are several, or more registrations than are looked at.
 */
async function subOrganizationOf(read: Reader, parentId: string, stamp: VerifiedStamp, now: number): Promise<string | undefined> {
  const registered = await read.credentials.inSubOrganizations(parentId, stamp.publicKey, REGISTRATIONS);
  const usable = registered.filter((credential) => refusalOf(credential, stamp, now) === undefined);
  const [first, second] = new Set(usable.map(({ organizationId }) => organizationId));
  if (second !== undefined || registered.length === REGISTRATIONS) throw new ApiError('CREDENTIAL_CONFLICT');
  // Where none may stamp, one of them says why.
  return first ?? registered[0]?.organizationId;
}

/**
 * Who made the stamp: a user of the named organization, else of its parent. `own` is who holds the key in the named organization;
 * a parent's key counts as well where the own one is refused. With `below`, also a user of the one sub-organization in which the
 * key may stamp. If nobody is found, the first refusal is thrown.
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
  const elsewhere = target.parentId ?? (below ? await subOrganizationOf(read, target.id, stamp, now) : undefined);
  const holder = elsewhere === undefined ? undefined : await read.credentials.holder(elsewhere, stamp.publicKey);
  if (elsewhere === undefined || holder === undefined) throw refusal ?? new ApiError('PUBLIC_KEY_NOT_FOUND');
  const refusedThere = refusalOf(holder.credential, stamp, now);
  if (refusedThere !== undefined) throw refusal ?? refusedThere;
  return { organization: await loadOrganization(read, elsewhere), ...holder };
}
