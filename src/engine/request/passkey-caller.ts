import { ApiError } from '../../base/errors.ts';
import { type Organization, passkeyOrigins } from '../../model/organization.ts';
import { type Authenticator, passkeyCredential } from '../../model/user.ts';
import type { PasskeyHolder, Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import type { PasskeyStamp, StampPort } from '../ports.ts';
import { loadOrganization, REGISTRATIONS } from './caller.ts';

const asCaller = (organization: Organization, { authenticator, user }: PasskeyHolder): Caller => ({
  organization,
  user,
  credential: passkeyCredential(authenticator),
});

/** The inputs of a search for the caller. */
type Search = { read: Reader; stamp: PasskeyStamp; proves(registered: Authenticator): boolean };

/** The one sub-organization with a registration that proves the stamp, and whether there is any registration at all. */
async function subOrganizationOf({ read, stamp, proves }: Search, parentId: string) {
  const registered = await read.authenticators.inSubOrganizations(parentId, stamp.credentialId, REGISTRATIONS);
  // Any caller can claim a credential id, so only registrations whose key made the stamp count.
  const [first, second] = new Set(registered.filter(proves).map(({ organizationId }) => organizationId));
  if (second !== undefined || registered.length === REGISTRATIONS)
    throw new ApiError('CREDENTIAL_CONFLICT', 'more than one suborg associated with a credential ID');
  return { id: first, any: registered.length > 0 };
}

/**
 * The user whose passkey made the stamp: of the named organization, unless `own` is false, else of its parent. With `below`, also a user of the one
 * sub-organization where it proves the stamp. Throws CREDENTIAL_NOT_FOUND, SIGNATURE_INVALID and CREDENTIAL_CONFLICT.
 */
export async function resolvePasskeyCaller(
  stamps: StampPort,
  read: Reader,
  target: Organization,
  stamp: PasskeyStamp,
  fingerprint: string,
  { own: inTarget = true, below = false } = {},
): Promise<Caller> {
  const parent = target.parentId === null ? undefined : await loadOrganization(read, target.parentId);
  const origins = passkeyOrigins(parent ?? target);
  const proves = (registered: Authenticator) => stamps.verifyPasskey(stamp, registered, fingerprint, origins);
  const own = inTarget ? await read.authenticators.holder(target.id, stamp.credentialId) : undefined;
  if (own && proves(own.authenticator)) return asCaller(target, own);
  const under = parent || !below ? undefined : await subOrganizationOf({ read, stamp, proves }, target.id);
  // Read before the holder: a decision by this version must not be based on older rows.
  const elsewhere = parent ?? (under?.id === undefined ? undefined : await loadOrganization(read, under.id));
  const holder = elsewhere && (await read.authenticators.holder(elsewhere.id, stamp.credentialId));
  if (holder && proves(holder.authenticator)) return asCaller(elsewhere, holder);
  if (own || holder || under?.any) throw new ApiError('SIGNATURE_INVALID', 'could not verify WebAuthN signature');
  throw new ApiError('CREDENTIAL_NOT_FOUND');
}
