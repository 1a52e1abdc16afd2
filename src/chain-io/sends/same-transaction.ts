import type { Send } from '../../model/send.ts';
import type { Writer } from '../../store/types.ts';

/** Far more than any client retries. */
const TWINS = 64;

/** Another send whose transaction has the same bytes: the two would be one on the chain. A failed one does not count. */
export async function sendOfSameTransaction(tx: Writer, { organizationId, id }: Send, hash: string): Promise<string | undefined> {
  for (const { sendId } of await tx.sendAttempts.byHash(organizationId, hash, TWINS)) {
    const other = sendId === id ? undefined : await tx.sends.get(organizationId, sendId);
    if (other !== undefined && other.state !== 'failed') return sendId;
  }
  return undefined;
}
