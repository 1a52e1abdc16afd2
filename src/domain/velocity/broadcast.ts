import { NOTHING } from '../../chains/shared/transfers.ts';
import type { Broadcast } from '../../engine/activity/declare.ts';
import type { Reader } from '../../store/types.ts';
import type { Part } from './parts.ts';
import type { Terms } from './terms.ts';

/** The same transaction may have been submitted several times. */
const TWINS = 20;

/** Whether a control has counted a signed transaction. It was signed for its holder, broadcast before, or sent by the service. */
async function isCounted(
  read: Reader,
  { control: { organizationId, id } }: Terms,
  { digest, hash }: Broadcast,
): Promise<boolean> {
  if (hash === undefined) return false;
  if (await read.velocityCounters.hasReference(organizationId, id, digest)) return true;
  for (const { sendId } of await read.sendAttempts.byHash(organizationId, hash, TWINS)) {
    const send = await read.sends.get(organizationId, sendId);
    // A final transaction cannot land again.
    if (send?.state === 'final') return true;
    if (send !== undefined && (await read.velocityCounters.hasOpen(organizationId, id, send.activityId))) return true;
  }
  return false;
}

/** The parts, without what a control of submissions has counted already. */
export async function uncounted(read: Reader, terms: Terms, parts: readonly Part[]): Promise<readonly Part[]> {
  if (!terms.isSubmission) return parts;
  const each = parts.map(async (part) =>
    part.broadcast !== undefined && (await isCounted(read, terms, part.broadcast)) ? { ...part, reading: NOTHING } : part,
  );
  return Promise.all(each);
}

/** For a replay, where the activity's own send and entry are stored already: each raw transaction counts. */
export const asIfFirst = (read: Reader): Reader => ({
  ...read,
  sendAttempts: { ...read.sendAttempts, byHash: async () => [] },
  velocityCounters: { ...read.velocityCounters, hasReference: async () => false },
});
