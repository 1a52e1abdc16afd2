import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { FreezeTarget } from '../../model/freeze.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader, Writer } from '../../store/types.ts';
import { userNamed } from './user-by-id.ts';

export type NamedTarget = {
  userId?: string | undefined;
  walletId?: string | undefined;
  privateKeyId?: string | undefined;
  organization?: boolean | undefined;
};

/** The one thing that the parameters name. Throws REQUEST_INVALID. */
export function targetIn(
  { userId, walletId, privateKeyId, organization }: NamedTarget,
  { id }: Pick<Organization, 'id'>,
): { target: FreezeTarget; id: string } {
  const named = [
    { target: 'user' as const, id: userId },
    { target: 'wallet' as const, id: walletId },
    { target: 'private key' as const, id: privateKeyId },
    { target: 'organization' as const, id: organization ? id : undefined },
  ].filter((one): one is { target: FreezeTarget; id: string } => one.id !== undefined);
  if (named.length !== 1)
    throw invalid('parameters', 'must name exactly one of userId, walletId, privateKeyId, and organization: true');
  return named[0]!;
}
targetIn.errors = errorsOf('REQUEST_INVALID');

/** Refuses the freeze of a root user if the others could not reach the threshold, since only they could unfreeze. */
async function requireRootsLeft(read: Reader, { id, rootQuorum }: Organization, userId: string): Promise<void> {
  if (!rootQuorum.userIds.includes(userId)) return;
  let left = 0;
  for (const root of rootQuorum.userIds) if (root !== userId && (await read.users.get(id, root))?.frozen === false) left++;
  if (left < rootQuorum.threshold)
    throw invalid(
      'parameters.userId',
      `is a root user, and ${left} others are not frozen: the root quorum needs ${rootQuorum.threshold}. Change it first, or freeze the organization`,
    );
}

/** Ends a freeze. False if there is none of this kind of thing: policies see only the member that names it. */
export async function endFreeze(store: Writer, org: string, { target, id }: ReturnType<typeof targetIn>, now: number) {
  if ((await store.freezes.get(org, id))?.target !== target || !(await store.freezes.remove(org, id))) return false;
  if (target === 'user') await store.users.update(org, id, { frozen: false }, now);
  return true;
}

/** Throws NOT_FOUND if there is no such thing, and REQUEST_INVALID if it may not be frozen. */
export async function requireFreezable(
  read: Reader,
  organization: Organization,
  { target, id }: ReturnType<typeof targetIn>,
): Promise<void> {
  if (target === 'user') {
    await userNamed(read, organization, id);
    await requireRootsLeft(read, organization, id);
  }
  if (target === 'wallet' && !(await read.wallets.get(organization.id, id)))
    throw new ApiError('NOT_FOUND', `wallet not found: parameters.walletId names ${id}`);
  if (target === 'private key' && !(await read.privateKeys.get(organization.id, id)))
    throw new ApiError('NOT_FOUND', `private key not found: parameters.privateKeyId names ${id}`);
}
requireFreezable.errors = errorsOf('REQUEST_INVALID', 'NOT_FOUND', userNamed);
