import type { SendAccount } from '../../../model/send.ts';
import { MOST_OUT } from './nonces.ts';
import type { EvmRow, Work } from './work.ts';

/** What one organization may have on its way of all that one paymaster pays for: pools add up what all of it may cost. */
const MOST_OF_ONE = MOST_OUT / 4;

/** Which sponsored sends wait until others of their organization are in blocks. */
export async function overShare(work: Work, { nextNonce }: SendAccount): Promise<(send: EvmRow) => boolean> {
  const { latest } = await work.nonces();
  // Nobody has so many.
  if ((nextNonce ?? 0) - latest < MOST_OF_ONE) return () => false;
  const out = new Map<string, number>();
  for (const { organizationId } of await work.read.sendLanes.byNonce(work.key, 'sent', { from: latest, limit: MOST_OUT }))
    out.set(organizationId, (out.get(organizationId) ?? 0) + 1);
  return ({ sponsored, organizationId }) => sponsored && (out.get(organizationId) ?? 0) >= MOST_OF_ONE;
}
