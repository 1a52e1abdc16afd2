import type { Writer } from '../../store/types.ts';

/** Counters of one network. */
export type ScanCounts = {
  blocks(more: number): void;
  /** The number of blocks that are not scanned yet. */
  lag(blocks: number): void;
  reorganized(blocks: number): void;
  failed(): void;
  /** Solana: addresses that are not watched, because there are more than SCAN_SOLANA_ADDRESSES. */
  leftOut(addresses: number): void;
  stopped(isStopped: boolean): void;
};

/** What a scanner has while its process holds the chain's lease. */
export type Held = {
  /**
   * One transaction. It renews the lease first, and throws LeaseLost if another process has the chain. The place moves in the same
   * transaction as the rows and events that it covers.
   */
  write<T>(work: (tx: Writer, now: number) => Promise<T>): Promise<T>;
  /** True if the service stops: the step ends soon. */
  isClosed(): boolean;
};

/** Scans one chain. */
export type ChainScanner = {
  readonly caip2: string;
  /** Does a bounded part of the work. Returns how many milliseconds to rest; 0 if there is more work. It may throw: the step is retried. */
  step(held: Held): Promise<number>;
};

/** Another process took the chain: nothing was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
