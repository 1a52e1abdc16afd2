import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../engine/ports.ts';
import type { Asset } from '../../../model/asset.ts';
import type { Store } from '../../../store/types.ts';
import type { SolanaNode } from '../../nodes/solana/node.ts';
import type { ScanCounts } from '../types.ts';

export type Parts = {
  store: Store;
  node: SolanaNode;
  assets: readonly Asset[];
  clock: Clock;
  elapsed: Clock;
  log: Log;
  counts: ScanCounts;
  /** SCAN_SOLANA_ADDRESSES. */
  most: number;
};
