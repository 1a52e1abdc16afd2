/** The chain of the schedules: anvil, with a contract that logs its call data. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hex, hexToBigInt, pad, toHex } from 'viem';
import { stationInitCode } from '../../../../src/chains/ethereum/gas-station-deployment.ts';
import { startAnvil } from '../../../support/anvil.ts';
import { rpc } from '../../../support/rpc-liar.ts';
import type { Mark, Order, Outcome, TestChain, Transaction } from './model.ts';

/** Logs its call data: CALLDATASIZE 0 0 CALLDATACOPY, CALLDATASIZE 0 LOG0. */
const RECORDER_CODE = '0x365f5f37365fa000';
const RECORDER = '0x00000000000000000000000000000000c0de0001';
/** Reverts without a reason. */
const REVERTER_CODE = '0x5f5ffd';
const REVERTER = '0x00000000000000000000000000000000c0de0002';

const artifact = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../contracts/artifacts/${name}.json`, import.meta.url), 'utf8'));
const addresses = artifact('addresses') as Record<'delegate' | 'station', { address: Hex }>;

export const CALLS_OF_BATCH = 3;
const ETHER = 10n ** 18n;
const QUIET_MS = 40;
const QUIET_LOOKS = 3;

type RawTransaction = { hash: string; from: Hex; to: Hex | null; nonce: Hex; value: Hex; input: Hex };
type Pool = Record<'pending' | 'queued', Record<Hex, Record<string, RawTransaction>>>;

export type Chain = TestChain & {
  url: string;
  ask<T>(method: string, ...params: unknown[]): Promise<T>;
  stop(): Promise<void>;
};

/** A number that is unique among the calls of all schedules on this chain. `tag` is the schedule’s own. */
const idOf = (tag: Hex, order: Order, call: number): Hex =>
  `${tag}${pad(toHex(order.number * 256 + call), { size: 16 }).slice(2)}`;

function marksOf(tag: Hex, order: Order): Mark[] {
  const calls = order.kind === 'batch' ? CALLS_OF_BATCH : 1;
  return Array.from({ length: calls }, (_, call) => {
    const id = idOf(tag, order, call);
    if (order.kind === 'value')
      return { to: `0x${id.slice(-40)}` as Hex, value: BigInt(1000 + order.number), data: '0x' as const };
    return { to: order.kind === 'reverts' ? REVERTER : RECORDER, value: 0n, data: id };
  });
}

export async function startChain(): Promise<Chain> {
  const anvil = await startAnvil('--order', 'fifo');
  const ask = <T>(method: string, ...params: unknown[]) => rpc<T>(anvil.url, method, params);
  await ask('anvil_setCode', RECORDER, RECORDER_CODE);
  await ask('anvil_setCode', REVERTER, REVERTER_CODE);
  // The storage after the constructor follows from the delegate.
  const { delegate, station } = addresses;
  await ask('anvil_setCode', delegate.address, artifact('GasDelegate').deployedBytecode);
  const data = stationInitCode(artifact('GasStation').bytecode, delegate.address);
  await ask('anvil_setCode', station.address, await ask('eth_call', { data }, 'latest'));
  const height = async () => Number(await ask<Hex>('eth_blockNumber'));

  async function blockTransactions(block: number): Promise<Transaction[]> {
    const at = toHex(block);
    const { transactions } = await ask<{ transactions: RawTransaction[] }>('eth_getBlockByNumber', at, true);
    if (transactions.length === 0) return [];
    const receipts = await ask<{ transactionHash: string; status: Hex }[]>('eth_getBlockReceipts', at);
    const succeeded = new Set(receipts.filter(({ status }) => status === '0x1').map(({ transactionHash }) => transactionHash));
    return transactions.map(({ hash, from, to, nonce, value, input }) => ({
      hash,
      from,
      to,
      nonce: Number(nonce),
      value: hexToBigInt(value),
      input,
      succeeded: succeeded.has(hash),
    }));
  }

  async function timesOf({ to, value, data }: Mark, logged: readonly string[]): Promise<number> {
    if (to === REVERTER) return 0;
    if (data !== '0x') return logged.filter((each) => each === data).length;
    return Number(hexToBigInt(await ask<Hex>('eth_getBalance', to, 'latest')) / value);
  }

  const has = ({ to, value, input }: Transaction, mark: Mark) =>
    mark.data === '0x' ? to === mark.to && value === mark.value : input.includes(mark.data.slice(2));

  async function seen(tag: Hex, orders: readonly Order[], from: number, accounts: readonly string[]) {
    const last = await height();
    const blocks = await Promise.all(Array.from({ length: last - from }, (_, i) => blockTransactions(from + 1 + i)));
    const transactions = blocks.flat().filter((each) => accounts.includes(each.from));
    const logs = await ask<{ data: Hex }[]>('eth_getLogs', {
      address: RECORDER,
      fromBlock: toHex(from),
      toBlock: 'latest',
    });
    const logged = logs.map(({ data }) => data);
    const effects: Outcome['effects'] = new Map();
    const ofOrder: Outcome['ofOrder'] = new Map();
    for (const order of orders) {
      const marks = marksOf(tag, order);
      effects.set(order.number, await Promise.all(marks.map((mark) => timesOf(mark, logged))));
      ofOrder.set(
        order.number,
        transactions.filter((each) => has(each, marks[0]!)),
      );
    }
    return { transactions, effects, ofOrder };
  }

  let isAutomining = true;
  let turn: Promise<unknown> = Promise.resolve();

  /**
   * One after the other. A block that anvil mines while it reorganizes stays beside the replacing blocks, or goes and leaves a
   * gap.
   */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = turn.then(step);
    turn = done.catch(() => {});
    return done;
  }

  /** Resolves when anvil has ended the blocks that it had begun. */
  async function quiet(): Promise<void> {
    for (let [before, looks] = [-1, 0]; looks < QUIET_LOOKS; looks++) {
      const now = await height();
      if (now !== before) looks = 0;
      before = now;
      await sleep(QUIET_MS);
    }
  }

  /** Empty blocks replace the last ones, whose transactions are gone from the pool too. */
  async function reorganize(depth: number): Promise<void> {
    await ask('evm_setAutomine', false);
    await quiet();
    await ask('anvil_reorg', depth, []);
    await ask('evm_setAutomine', isAutomining);
  }

  return {
    url: anvil.url,
    ask,
    ticks: false,
    marksOf,
    traceOf: ({ to, data }) => (data === '0x' ? to : data).slice(2),
    height,
    seen,
    fund: (account) => ask('anvil_setBalance', account, toHex(100n * ETHER)),
    automine: (on: boolean) =>
      inTurn(() => {
        isAutomining = on;
        return ask('evm_setAutomine', on);
      }),
    mine: () => inTurn(() => ask('evm_mine')),
    reorganize: (depth: number) => inTurn(() => reorganize(depth)),
    hasReceipt: async (hash: string) => hash !== '' && (await ask('eth_getTransactionReceipt', hash)) !== null,
    async waiting(accounts: readonly string[]): Promise<Outcome['waiting']> {
      const { pending, queued } = await ask<Pool>('txpool_content');
      const all = [pending, queued].flatMap((part) => Object.values(part).flatMap((each) => Object.values(each)));
      const own = (address: Hex) => accounts.includes(address.toLowerCase());
      return all.filter(({ from }) => own(from)).map(({ from, nonce }) => ({ from, nonce: Number(nonce) }));
    },
    stop: () => anvil.stop(),
  };
}
