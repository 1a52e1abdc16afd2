import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import type { Freeze } from '../../model/freeze.ts';
import type { Reader, SealedSigner } from '../../store/types.ts';

const SEE = 'query list_freezes shows since when and why';

/** The refusal of a use of keys that are frozen. */
export const frozenKey = (): ApiError =>
  new ApiError('FROZEN', `the organization, or the wallet or private key that this needs, is frozen: ${SEE}`);

const textOf = ({ target, id, createdAt }: Freeze): string =>
  `${target} ${id} is frozen since ${new Date(createdAt).toISOString()}: ${SEE}`;

/** Throws FROZEN if the organization is frozen, or one of its keys. `ids`: of wallets and private keys. */
export async function requireUnfrozen(read: Reader, organizationId: string, ids: readonly string[]): Promise<void> {
  for (const id of [organizationId, ...ids]) {
    const freeze = await read.freezes.get(organizationId, id);
    if (freeze !== undefined) throw new ApiError('FROZEN', textOf(freeze));
  }
}
requireUnfrozen.errors = errorsOf('FROZEN');

/** Throws FROZEN if the organization, or any of its wallets or private keys, is frozen. */
export async function requireNoneFrozen(read: Pick<Reader, 'freezes'>, organizationId: string): Promise<void> {
  const freeze = await read.freezes.ofKeys(organizationId);
  if (freeze !== undefined) throw new ApiError('FROZEN', textOf(freeze));
}
requireNoneFrozen.errors = errorsOf('FROZEN');

/** Whether sends of the key that were accepted before must wait: until they are cancelled, or the key is unfrozen. */
export async function holdsSends({ freezes }: Pick<Reader, 'freezes'>, { signer, isFrozen }: SealedSigner): Promise<boolean> {
  if (!isFrozen) return false;
  const { organizationId, walletId, keyId } = signer;
  for (const id of [organizationId, walletId ?? keyId])
    if ((await freezes.get(organizationId, id))?.keepsSends === false) return true;
  return false;
}
