import type { SendAccount } from '../../../model/send.ts';
import { MOST_OUT } from './nonces.ts';
import type { EvmRow, Work } from './work.ts';

/** What one organization may have on its way of all that one paymaster pays for: pools add up what all of it may cost. */
const MOST_OF_ONE = MOST_OUT / 4;
/** The same with all its sub-organizations, of which anybody may make as many as they like in some applications. */
const MOST_OF_PAYER = (3 * MOST_OUT) / 4;

/** Which sponsored sends wait until others of their organization are in blocks. */
export async function overShare(work: Work, { nextNonce }: SendAccount): Promise<(send: EvmRow) => boolean> {
  const { latest } = await work.nonces();
  // Nobody has so many.
  if ((nextNonce ?? 0) - latest < MOST_OF_ONE) return () => false;
  const out = new Map<string, number>();
  const count = (id: string) => out.set(id, (out.get(id) ?? 0) + 1);
  const sent = await work.read.sendLanes.byNonce(work.key, 'sent', { from: latest, limit: MOST_OUT });
  for (const { organizationId, payerId } of sent) {
    count(`of ${organizationId}`);
    count(`for ${payerId}`);
  }
  const isOver = (name: string, most: number) => (out.get(name) ?? 0) >= most;
  return ({ sponsored, organizationId, payerId }) =>
    sponsored && (isOver(`of ${organizationId}`, MOST_OF_ONE) || isOver(`for ${payerId}`, MOST_OF_PAYER));
}
