import { ApiError } from '../base/errors.ts';
import type { Organization } from '../model/organization.ts';
import { isExpired, stampCurve } from '../model/user.ts';
import type { Holder, Reader } from '../store/types.ts';
import type { VerifiedStamp } from './authenticate.ts';
import type { Caller } from './context.ts';
import type { Trace } from './ports.ts';

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

function accepted(holder: Holder, stamp: VerifiedStamp, now: number): Holder {
  const { credential } = holder;
  if (!stamp.scheme.startsWith(`SIGNATURE_SCHEME_TK_API_${stampCurve(credential.type)}`))
    throw new ApiError('PUBLIC_KEY_NOT_FOUND');
  if (isExpired(credential, now)) {
    throw new ApiError(
      'API_KEY_EXPIRED',
      `expired api key: rpc error: code = Unauthenticated desc = expired api key publicKey ${credential.publicKey}`,
    );
  }
  return holder;
}

/**
 * Who made the stamp: a user of the named organization, else of its parent.
 * `own` is who holds the key in the named organization. With `below`, also a user of the one sub-organization that knows the key.
 */
export async function resolveCaller(
  read: Reader,
  target: Organization,
  stamp: VerifiedStamp,
  now: number,
  own: Holder | undefined,
  below = false,
): Promise<Caller> {
  if (own) return { organization: target, ...accepted(own, stamp, now) };
  if (target.parentId !== null) {
    const above = await read.credentials.holder(target.parentId, stamp.publicKey);
    if (above) return { organization: await loadOrganization(read, target.parentId), ...accepted(above, stamp, now) };
  } else if (below) {
    const [first, second] = await read.credentials.subOrganizationsWith(target.id, stamp.publicKey);
    if (second !== undefined) throw new ApiError('CREDENTIAL_CONFLICT');
    const holder = first === undefined ? undefined : await read.credentials.holder(first, stamp.publicKey);
    if (first !== undefined && holder)
      return { organization: await loadOrganization(read, first), ...accepted(holder, stamp, now) };
  }
  throw new ApiError('PUBLIC_KEY_NOT_FOUND');
}
