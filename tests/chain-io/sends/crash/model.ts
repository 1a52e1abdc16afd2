/** The parts of a schedule of the crash matrix, and the observations of a run. */
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

/**
 * The `nth` time that a fail-point is reached, or a number of requests, answers and looks, and a number of turns of the event
 * loop.
 */
export type Crash = { point: string; nth: number } | { events: number; turns: number };

export type Kind = 'call' | 'value' | 'given' | 'batch' | 'sponsored' | 'raw' | 'reverts' | 'solana';
export type Change = 'cancel' | 'speed-up';

/**
 * One send. `nonce`: given by the caller. `change`: requested once the send was acknowledged. `lost`: not sent again if it was
 * cut off.
 */
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

/** How the chain misbehaves meanwhile: its endpoints lie, or its last blocks fall out. */
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

/** The service's answer about a send, and whether the node had a receipt of the named transaction. */
export type Look = { status: Status; hash: string; error: string; onChain: boolean };

/** The acknowledgement. */
export type Ack = { activityId: string; sendId: string };

/** A mined transaction cannot be replaced: that is an answer too, and the same one each time. */
export const REFUSED = 'refused';

export type Tracked = {
  order: Order;
  acks: Ack[];
  /** The answer, if it was a refusal. */
  refused?: string;
  /** Of its cancelling or speeding up: the activity, or REFUSED. */
  changeAcks: string[];
  looks: Look[];
  /** Its last look says that it has ended, and no block fell out since. */
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

/** The calls of a send: each leaves its own mark on the chain. */
export type Mark = { to: string; value: bigint; data: Hex };

/** Chain and database when all sends have ended. */
export type Outcome = {
  tracked: Tracked[];
  /** How often each call of an order had its effect. */
  effects: Map<number, number[]>;
  /** The transactions in blocks, and those of an order. */
  transactions: Transaction[];
  ofOrder: Map<number, Transaction[]>;
  /** Transactions of the schedule's accounts that are still pending in the node’s pool. */
  waiting: { from: string; nonce: number }[];
  /** The orders whose sends are stored. */
  stored: Set<number>;
  /** A block fell out while it ran. */
  reorganized: boolean;
};

/** A chain that schedules run on. */
export type TestChain = {
  /** The request of an order. `tag`: a schedule’s own, so that no other call on this chain is the same. */
  marksOf(tag: Hex, order: Order): Mark[];
  /** The part of a mark that is in the intent, in hex. */
  traceOf(mark: Mark): string;
  fund(account: string): Promise<unknown>;
  height(): Promise<number>;
  /** Transactions are mined immediately, or with the next block. */
  automine(on: boolean): Promise<unknown>;
  mine(): Promise<unknown>;
  /** Blocks are mined, also empty ones. */
  ticks: boolean;
  /** The last blocks fall out, with their transactions. */
  reorganize(depth: number): Promise<unknown>;
  hasReceipt(hash: string): Promise<boolean>;
  /** The effects of the orders on the chain since a block, by transactions of these accounts. */
  seen(
    tag: Hex,
    orders: readonly Order[],
    from: number,
    accounts: readonly string[],
  ): Promise<Pick<Outcome, 'transactions' | 'effects' | 'ofOrder'>>;
  waiting(accounts: readonly string[]): Promise<Outcome['waiting']>;
};
