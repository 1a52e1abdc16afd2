import { ApiError } from '../../base/errors.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import { resolveCaller } from '../request/caller.ts';
import type { VerifiedStamp } from '../request/stamp.ts';
import type { QueryKind } from './declare.ts';

/** The organization that a query asks about. `callerAt`: who asks, if they may at this time. */
export type Asked = { organization: Organization; callerAt(time: number): Promise<Caller> };

/** Throws ORGANIZATION_NOT_FOUND. */
export async function asked(
  read: Reader,
  id: string,
  kind: QueryKind,
  verified: Promise<VerifiedStamp>,
): Promise<Asked> {
  const organization = await read.organizations.get(id);
  if (organization === undefined) {
    const gone = kind.readsDeleted ? await deletedSubOrganization(read, id) : undefined;
    if (gone === undefined) throw new ApiError('ORGANIZATION_NOT_FOUND');
    return { organization: gone, callerAt: (time) => parentsUser(read, gone, verified, time) };
  }
  return {
    organization,
    async callerAt(time) {
      const stamp = await verified;
      const own = await read.credentials.holder(id, stamp.publicKey);
      return resolveCaller(read, organization, stamp, time, own, kind.findsOwnSubOrganization);
    },
  };
}

async function deletedSubOrganization(read: Reader, id: string): Promise<Organization | undefined> {
  const deleted = await read.deletedOrganizations.get(id);
  if (deleted === undefined || deleted.parentId === null) return undefined;
  const { parentId, name, version, rootQuorum, createdAt, deletedAt } = deleted;
  const times = { createdAt, updatedAt: deletedAt };
  return { id, parentId, name, version, policiesVersion: 0, archivedUntil: 0, rootQuorum, features: {}, ...times };
}

/** For everybody else, the organization is unknown. */
async function parentsUser(
  read: Reader,
  organization: Organization,
  verified: Promise<VerifiedStamp>,
  time: number,
): Promise<Caller> {
  try {
    return await resolveCaller(read, organization, await verified, time, undefined);
  } catch (error) {
    throw error instanceof ApiError ? new ApiError('ORGANIZATION_NOT_FOUND') : error;
  }
}
