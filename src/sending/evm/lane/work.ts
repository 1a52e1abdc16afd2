import type { Clock } from '../../../base/clock.ts';
import type { PaymasterVault, SigningVault } from '../../../custody/types.ts';
import type { Log } from '../../../engine/ports.ts';
import type { AccountKey, EvmIntent, Send, SendAttempt } from '../../../model/send.ts';
import type { ChainNodes } from '../../../nodes/chain-nodes.ts';
import type { EvmNode } from '../../../nodes/evm/node.ts';
import type { Reader, Writer } from '../../../store/types.ts';
import type { Claimed } from '../../lane.ts';
import type { Pace } from '../../pace.ts';
import type { ChainView } from './chain.ts';
import type { Memory, Nonces } from './memory.ts';

/** What a sponsored send cost, or that it cost nothing. In a transaction, after its last write. */
export type GasPort = {
  settle(tx: Writer, send: Send, units: bigint): Promise<void>;
  release(tx: Writer, send: Send): Promise<void>;
  /** It may cost so much from now on, in all. False if that is over a limit: then it must not. */
  raise(tx: Writer, send: Send, units: bigint, now: number): Promise<boolean>;
};

/** Bounds that the operator gives. */
export type EvmSendSettings = {
  /** A replacement pays at most so many per cent of what was judged, for a unit of gas. */
  feeLimitPercent: number;
  /** Blocks after which a transaction is taken to stay, on chains that do not say so. */
  finalityBlocks: number;
};

export type EvmLaneParts = {
  read: Reader;
  nodes: Pick<ChainNodes, 'chainNode' | 'networks'>;
  vault: SigningVault;
  paymaster: PaymasterVault | undefined;
  gas: GasPort;
  pace: Pace;
  /** The service's time. */
  clock: Clock;
  elapsed: Clock;
  log: Log;
  settings: EvmSendSettings;
};

/** A send on an EVM chain. */
export type EvmRow = Send & { intent: EvmIntent };

/** One step of one account. */
export type Work = EvmLaneParts & {
  claimed: Claimed;
  key: AccountKey;
  node: EvmNode;
  chain: ChainView;
  memory: Memory;
  /** The account's next nonce on the chain, and with what waits at the nodes: as it was a moment ago. */
  nonces: Nonces;
};

/** A send with the attempt that is to be broadcast. `isNew`: nobody has had that so far. `isNoted`: it is stored that it may be out. */
export type Ready = { send: EvmRow; attempt: SendAttempt; isNew: boolean; isNoted?: boolean };

/** At once: rows in one transaction, and questions in one go. */
export const BATCH = 64;

/** What it takes to sign and to settle a send, as a share of all that it takes. */
export const SHARE = { signing: 0.6, settling: 0.4 };

/** So that others are not held up between two signatures. */
export const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
