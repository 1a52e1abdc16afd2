import type { Clock } from '../../../../base/clock.ts';
import type { PaymasterVault, SigningVault } from '../../../../custody/types.ts';
import type { Log } from '../../../../engine/ports.ts';
import type { AccountKey, EvmIntent, Send, SendAttempt } from '../../../../model/send.ts';
import type { Reader, Writer } from '../../../../store/types.ts';
import type { ChainNodes } from '../../../nodes/chain-nodes.ts';
import type { EvmNode } from '../../../nodes/evm/node.ts';
import type { Claimed } from '../../lane.ts';
import type { Pace } from '../../pace.ts';
import type { ChainView } from './chain-view.ts';

/** Records the cost of a sponsored send in addition to `spent`, or that it cost no more. In a transaction, after its last write. */
export type GasPort = {
  settle(tx: Writer, send: Send, units: bigint): Promise<void>;
  release(tx: Writer, send: Send): Promise<void>;
  /** It costs at least this, whatever the limits say. */
  cover(tx: Writer, send: Send, units: bigint): Promise<void>;
  /** It may cost this much from now on. False if that exceeds a limit: then it must not. */
  raise(tx: Writer, send: Send, units: bigint, now: number): Promise<boolean>;
};

/** Bounds that the operator gives. */
export type EvmSendSettings = {
  /** The most that a replacement pays for a unit of gas, in per cent of the judged price. */
  feeLimitPercent: number;
  /** Blocks after which a transaction counts as final, on chains that do not say so. */
  finalityBlocks: number;
};

export type EvmLaneParts = {
  read: Reader;
  nodes: Pick<ChainNodes, 'chainNode' | 'networks'>;
  vault: SigningVault;
  paymaster: PaymasterVault | undefined;
  gas: GasPort;
  /** The cost of filling gaps for a paymaster counts for no organization. */
  gapsFilled(caip2: string, units: bigint): void;
  pace: Pace;
  /** The service's time. */
  clock: Clock;
  elapsed: Clock;
  log: Log;
  settings: EvmSendSettings;
};

/** A send on an EVM chain. */
export type EvmRow = Send & { intent: EvmIntent };

/** The account of a step, and its rows. */
export type Rows = { read: Reader; key: AccountKey; clock: Clock };

/** Writes them as the account's owner. */
export type Owner = Rows & { claimed: Claimed };

/** The chain as its endpoints describe it. */
export type OnChain = { node: EvmNode; chain: ChainView };

/** The keys that sign for an account. */
export type Keys = Pick<EvmLaneParts, 'vault' | 'paymaster'>;

/** What a send may cost. */
export type Costs = Pick<EvmLaneParts, 'gas' | 'settings'>;

/** All that makes a further attempt for a send. */
export type Signing = Owner & OnChain & Keys & Costs;

/** A send with the attempt to broadcast. `isNew`: no node has had that attempt. `isNoted`: it is stored that it may have been broadcast. */
export type Ready = { send: EvmRow; attempt: SendAttempt; isNew: boolean; isNoted?: boolean };

/** Rows in one transaction, and questions asked together. */
export const BATCH = 64;

/** The cost of signing and of settling a send, as shares of the whole. */
export const SHARE = { signing: 0.6, settling: 0.4 };
