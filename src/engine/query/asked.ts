import { ApiError } from '../../base/errors.ts';
import { newOrganization, type Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import type { Engine } from '../engine.ts';
import { resolveCaller } from '../request/caller.ts';
import { resolvePasskeyCaller } from '../request/passkey-caller.ts';
import { isPasskeyStamp, type Stamp } from '../request/stamp.ts';
import type { QueryKind } from './declare.ts';

/** The organization that a query asks about. */
export type Asked = { organization: Organization; isDeleted: boolean };

/** Throws ORGANIZATION_NOT_FOUND. */
export async function askedOrganization(read: Reader, id: string, kind: QueryKind): Promise<Asked> {
  const organization = await read.organizations.get(id);
  if (organization !== undefined) return { organization, isDeleted: false };
  const deleted = kind.readsDeleted ? await read.deletedOrganizations.get(id) : undefined;
  if (deleted === undefined || deleted.parentId === null) throw new ApiError('ORGANIZATION_NOT_FOUND');
  const { parentId, name, version, rootQuorum, createdAt, deletedAt } = deleted;
  const known = { id, parentId, name, version, rootQuorum, createdAt, updatedAt: deletedAt };
  return { organization: newOrganization(known), isDeleted: true };
}

/** Who asks, if they may at this time. For all but users of its parent, a deleted organization is unknown. */
export async function callerOf(
  { store: { read }, stamps }: Pick<Engine, 'store' | 'stamps'>,
  { organization, isDeleted }: Asked,
  kind: QueryKind,
  { verified, body }: { verified: Promise<Stamp>; body: Buffer },
  time: number,
): Promise<Caller> {
  const below = kind.findsOwnSubOrganization;
  try {
    const stamp = await verified;
    if (isPasskeyStamp(stamp))
      return await resolvePasskeyCaller(stamps, read, organization, stamp, body, { own: !isDeleted, below });
    const own = isDeleted ? undefined : await read.credentials.holder(organization.id, stamp.publicKey);
    return await resolveCaller(read, organization, stamp, time, own, below);
  } catch (error) {
    throw isDeleted && error instanceof ApiError ? new ApiError('ORGANIZATION_NOT_FOUND') : error;
  }
}
