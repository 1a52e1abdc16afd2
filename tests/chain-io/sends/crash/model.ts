/** What a schedule of the crash matrix is made of, and what is seen of it. */
import type { Hex } from 'viem';
import type { FailStep } from '../../../../src/base/fail-point.ts';

/** The steps before and after which the service is killed. */
export const STEPS = [
  'store',
  'allocate',
  'sign',
  'store-signature',
  'note-sent',
  'broadcast',
  'look-again',
  'receipt',
  'replace',
] as const satisfies readonly FailStep[];
export const FAIL_POINTS = STEPS.flatMap((step) => [`before ${step}`, `after ${step}`]);

/** At the `nth` time that a fail-point is reached, or after so many requests, answers and looks and so many turns of the event loop. */
export type Crash = { point: string; nth: number } | { events: number; turns: number };

export type Kind = 'call' | 'value' | 'given' | 'batch' | 'sponsored' | 'raw' | 'reverts' | 'solana';
export type Change = 'cancel' | 'speed-up';

/** One send. `nonce`: given by the caller. `change`: asked for once the send was acknowledged. `lost`: not sent again if it was cut off. */
export type Order = {
  number: number;
  wave: number;
  kind: Kind;
  account: number;
  nonce?: number;
  change?: Change;
  lost: boolean;
};

export type Network = 'evm' | 'solana';

/** How the chain misbehaves meanwhile: what its endpoints say, or that its last blocks fall out. */
export const TROUBLES = ['lagging', 'flapping', 'duplicate', 'wrong error', 'silent', 'reorganizing'] as const;
export type Trouble = (typeof TROUBLES)[number];

/**
 * `wave` n of the orders is submitted at the n-th start. `blocks`: transactions wait for blocks, which are mined from time to time,
 * and while the service is down if `minedMeanwhile`.
 */
export type Schedule = {
  seed: number;
  network: Network;
  accounts: number;
  blocks: boolean;
  minedMeanwhile: boolean;
  trouble?: Trouble;
  crashes: Crash[];
  orders: Order[];
};

export type Status = 'INITIALIZED' | 'BROADCASTING' | 'INCLUDED' | 'FAILED';

/** What the service said of a send, and whether the node had a receipt of the transaction that it named. */
export type Look = { status: Status; hash: string; error: string; onChain: boolean };

/** What was acknowledged. */
export type Ack = { activityId: string; sendId: string };

/** What is in a block already cannot be changed: that is an answer too, and the same one each time. */
export const REFUSED = 'refused';

export type Tracked = {
  order: Order;
  acks: Ack[];
  /** The answer, where it was a refusal. */
  refused?: string;
  /** Of its cancelling or speeding up: the activity, or REFUSED. */
  changeAcks: string[];
  looks: Look[];
  /** Its last look says that it is over, and no block fell out since. */
  over: boolean;
};

export type Transaction = {
  hash: string;
  from: string;
  to: string | null;
  nonce: number;
  value: bigint;
  input: Hex;
  succeeded: boolean;
};

/** What a send does: each call leaves a mark on the chain that no other call leaves. */
export type Mark = { to: string; value: bigint; data: Hex };

/** The world when all is over. */
export type Outcome = {
  tracked: Tracked[];
  /** How often each call of an order had its effect. */
  effects: Map<number, number[]>;
  /** The transactions in blocks, and those of an order. */
  transactions: Transaction[];
  ofOrder: Map<number, Transaction[]>;
  /** What still waits in the node’s pool, from accounts of the schedule. */
  waiting: { from: string; nonce: number }[];
  /** The orders whose sends are stored. */
  stored: Set<number>;
  /** A block fell out while it ran. */
  reorganized: boolean;
};

/** A chain that schedules run on. */
export type TestChain = {
  /** What an order asks for. `tag`: a schedule’s own, so that no other call on this chain is the same. */
  marksOf(tag: Hex, order: Order): Mark[];
  /** What of a mark is in the intent, in hex. */
  traceOf(mark: Mark): string;
  fund(account: string): Promise<unknown>;
  height(): Promise<number>;
  /** Transactions land at once; or when a block is mined. */
  automine(on: boolean): Promise<unknown>;
  mine(): Promise<unknown>;
  /** Blocks pass whether there is something to put into them or not. */
  ticks: boolean;
  /** The last blocks fall out, with what was in them. */
  reorganize(depth: number): Promise<unknown>;
  hasReceipt(hash: string): Promise<boolean>;
  /** What the chain shows of the orders since a block, of transactions of these accounts. */
  seen(
    tag: Hex,
    orders: readonly Order[],
    from: number,
    accounts: readonly string[],
  ): Promise<Pick<Outcome, 'transactions' | 'effects' | 'ofOrder'>>;
  waiting(accounts: readonly string[]): Promise<Outcome['waiting']>;
};
