import { NOTHING, type Reading } from '../../chains/shared/transfers.ts';
import type { Broadcast } from '../../engine/activity/declare.ts';
import type { ToMeasure } from '../../engine/activity/velocity.ts';
import type { Reader } from '../../store/types.ts';
import { namedKeys } from '../keys/named.ts';
import type { Terms } from './terms.ts';

/** A key that an activity signs with, and what that takes. `keyId`: '' if the activity names none. */
export type Part = {
  walletId: string | null;
  keyId: string;
  publicKey: string;
  reading: Reading;
  broadcast?: Broadcast | undefined;
};

/** The keys of an activity, and what each signature takes. An activity that signs nothing may still name a wallet or a key. */
export async function partsOf(read: Reader, { activity, organization }: ToMeasure): Promise<readonly Part[]> {
  const { kind, intent } = activity;
  if (kind.takes === undefined) {
    const named = await namedKeys(read, { activity, organization });
    const keys = named.length > 0 ? named : [{ walletId: null, keyId: '' }];
    return keys.map(({ walletId, keyId }) => ({ walletId, keyId, publicKey: '', reading: NOTHING }));
  }
  const taken = await kind.takes({ ctx: { read, organization }, intent, subject: await activity.subject() });
  return taken.map(({ signer: { walletId, keyId }, ...what }) => ({ walletId, keyId, ...what }));
}

const some = (ids: ReadonlySet<string> | undefined, among: readonly string[]): boolean =>
  ids !== undefined && among.some((id) => ids.has(id));

/** Whether the submitter is one whom the scope names, or has a tag that it names. */
export function coversUser({ scope: { userIds, userTagIds } }: Terms, userId: string, tags: readonly string[]): boolean {
  return (userIds === undefined && userTagIds === undefined) || some(userIds, [userId]) || some(userTagIds, tags);
}

export function coversKey({ scope: { walletIds, privateKeyIds } }: Terms, { walletId, keyId }: Part): boolean {
  if (walletIds === undefined && privateKeyIds === undefined) return true;
  return walletId === null ? some(privateKeyIds, [keyId]) : some(walletIds, [walletId]);
}

/** A key that belongs to no wallet is a bucket of its own. */
export function bucketOf({ groupBy, bySigner }: Terms, { walletId, keyId, publicKey }: Part, userId: string): string {
  const group = groupBy === 'organization' ? '' : groupBy === 'user' ? userId : (walletId ?? keyId);
  return bySigner ? `${group}/${publicKey}` : group;
}
