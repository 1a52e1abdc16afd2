import type { SendAccount } from '../../../../../model/send.ts';
import { MOST_OUT } from '../nonces/assign.ts';
import type { EvmRow, Rows } from '../parts.ts';

/** One organization's share of the pending sends that one paymaster pays for. Pools add up what all of them may cost. */
const MOST_OF_ONE = MOST_OUT / 4;
/** The share of an organization with all its sub-organizations. In some applications any user may create any number of them. */
const MOST_OF_PAYER = (3 * MOST_OUT) / 4;

/** Which sponsored sends wait until others of their organization are in blocks. */
export async function overShare(
  { read, key }: Pick<Rows, 'read' | 'key'>,
  { nextNonce }: SendAccount,
  latest: number,
): Promise<(send: EvmRow) => boolean> {
  // No organization can have reached its share.
  if ((nextNonce ?? 0) - latest < MOST_OF_ONE) return () => false;
  const out = new Map<string, number>();
  const count = (id: string) => out.set(id, (out.get(id) ?? 0) + 1);
  const sent = await read.sendsOfAccount.byNonce(key, 'sent', { from: latest, limit: MOST_OUT });
  for (const { organizationId, payerId } of sent) {
    count(`of ${organizationId}`);
    count(`for ${payerId}`);
  }
  const isOver = (name: string, most: number) => (out.get(name) ?? 0) >= most;
  return ({ sponsored, organizationId, payerId }) =>
    sponsored && (isOver(`of ${organizationId}`, MOST_OF_ONE) || isOver(`for ${payerId}`, MOST_OF_PAYER));
}
