import { ApiError } from '../../base/errors.ts';
import type { ToMeasure } from '../../engine/activity/velocity.ts';
import type { Reader } from '../../store/types.ts';
import { partsOf } from '../velocity/parts.ts';
import { requireNoneFrozen, requireUnfrozen } from './frozen.ts';
import { namedKeys } from './named.ts';

/** They name no key, and concern all that the organization has. */
const OF_ORGANIZATION: Readonly<Record<string, (read: Reader, org: string) => Promise<void>>> = {
  EXPORT_SECRETS: (read, org) => requireUnfrozen(read, org, []),
  DELETE_ORGANIZATION: requireNoneFrozen,
  DELETE_SUB_ORGANIZATION: requireNoneFrozen,
};

async function requireRunning(read: Reader, asked: ToMeasure): Promise<void> {
  const { kind } = asked.activity.kind;
  const { id } = asked.organization;
  if (OF_ORGANIZATION[kind]) return OF_ORGANIZATION[kind](read, id);
  const parts = await partsOf(read, asked);
  // A send is not measured if its key cannot sign.
  const keys = parts.length > 0 ? parts : await namedKeys(read, asked);
  const ids = keys.map(({ walletId, keyId }) => walletId ?? keyId).filter((one) => one !== '');
  if (ids.length > 0) await requireUnfrozen(read, id, ids);
}

/** Why a freeze of keys refuses an activity that policies allow. `execute` refuses it itself: this is for explanations. */
export async function stopped(read: Reader, asked: ToMeasure): Promise<ApiError | undefined> {
  if (!asked.activity.kind.errors.includes('FROZEN')) return undefined;
  try {
    await requireRunning(read, asked);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FROZEN') return error;
    throw error;
  }
}
