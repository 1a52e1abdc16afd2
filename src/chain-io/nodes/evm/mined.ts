import type { AskOne } from '../endpoints.ts';
import { type Hex, list, object } from '../read.ts';
import { type ScannedEvmTransaction, type TokenTransfer, transferIn } from './scan.ts';
import { type EvmReceipt, readBlock, readReceipt, readTransaction } from './values.ts';

/** A transaction that is in a block, with the Transfer events in its receipt. */
export type EvmMined = {
  readonly transaction: ScannedEvmTransaction;
  readonly receipt: EvmReceipt;
  readonly transfers: readonly TokenTransfer[];
  /** Unix seconds. */
  readonly timestamp: bigint;
};

function readWithTransfers(asked: Hex, value: unknown): Pick<EvmMined, 'receipt' | 'transfers'> | undefined {
  const receipt = readReceipt(asked, value);
  if (receipt === undefined) return undefined;
  const transfers = list(object(value).logs).flatMap((log) => transferIn(receipt.blockHash)(log) ?? []);
  return { receipt, transfers };
}

/** What the history shows of transactions, in their order. Undefined for one that is in no block. */
export async function evmMined(ask: AskOne, hashes: readonly Hex[]): Promise<(EvmMined | undefined)[]> {
  const options = { joins: Symbol('history') };
  /** One answer for each: nothing is still awaited after the first failure. */
  async function each<T>(method: string, all: readonly Hex[], read: (one: Hex, value: unknown) => T, more: unknown[] = []) {
    const asked = all.map((one) =>
      ask({ method, params: [one, ...more], read: (value) => (value === null ? undefined : read(one, value)), options }),
    );
    await Promise.allSettled(asked);
    return Promise.all(asked);
  }

  const [transactions, receipts] = await Promise.all([
    each('eth_getTransactionByHash', hashes, readTransaction),
    each('eth_getTransactionReceipt', hashes, readWithTransfers),
  ]);
  const blocks = [...new Set(receipts.flatMap((mined) => mined?.receipt.blockHash ?? []))];
  const found = await each('eth_getBlockByHash', blocks, (_, value) => readBlock(value), [false]);
  const times = new Map(found.flatMap((block) => (block === undefined ? [] : [[block.hash, block.timestamp]])));
  return receipts.map((mined, i) => {
    const transaction = transactions[i];
    const timestamp = mined && times.get(mined.receipt.blockHash);
    return transaction && timestamp !== undefined ? { transaction, ...mined!, timestamp } : undefined;
  });
}
