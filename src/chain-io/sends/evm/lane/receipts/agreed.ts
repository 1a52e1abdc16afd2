import type { SendAttempt } from '../../../../../model/send.ts';
import type { EvmRow, OnChain } from '../parts.ts';
import { current } from '../rows.ts';

type Hex = `0x${string}`;
type Asked = Pick<OnChain, 'node' | 'chain'>;

/**
 * How many further blocks to wait until every endpoint has the receipts. Also how long until a block counts as final where no
 * endpoint keeps its state.
 */
export const MARGIN = 64n;

/** Whether every endpoint has the transaction of a send as failed, in a block that is final there. One that lies is not enough. */
export async function failedForAll({ node, chain }: Asked, { hash, blockNumber, blockHash }: EvmRow): Promise<boolean> {
  const [final, receipts] = await Promise.all([chain.finalForAll(), node.everyone.receipt(hash as Hex)]);
  if (final === undefined || receipts === undefined || final < BigInt(blockNumber!)) return false;
  return receipts.every((receipt) => receipt !== undefined && !receipt.succeeded && receipt.blockHash === blockHash);
}

/** Whether every endpoint has the nonce of a send as used in a final block, and none of its transactions. */
export async function isUsedForAll({ node, chain }: Asked, send: EvmRow, attempts: readonly SendAttempt[]): Promise<boolean> {
  const final = await chain.finalForAll();
  const nonces = final === undefined ? undefined : await node.everyone.nonce(send.account as Hex, final);
  if (nonces?.every((nonce) => nonce > BigInt(send.nonce!)) !== true) return false;
  const own = current(send, attempts).filter(({ purpose }) => purpose === 'send');
  const receipts = await Promise.all(own.map(({ hash }) => node.everyone.receipt(hash as Hex)));
  return receipts.every((said) => said?.every((receipt) => receipt === undefined) === true);
}
