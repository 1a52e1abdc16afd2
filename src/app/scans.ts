import type { Clock } from '../base/clock.ts';
import type { ChainNodes } from '../chain-io/nodes/chain-nodes.ts';
import { evmScanner } from '../chain-io/scan/evm/scanner.ts';
import { finalityOf } from '../chain-io/scan/finality.ts';
import { solanaScanner } from '../chain-io/scan/solana/scanner.ts';
import type { ChainScanner, ScanCounts } from '../chain-io/scan/types.ts';
import { type ScanWorker, scanWorker } from '../chain-io/scan/worker.ts';
import type { Config } from '../config.ts';
import type { ScanFamilies } from '../http/metrics/scans.ts';
import type { Store } from '../store/types.ts';
import type { Logger } from './log/logger.ts';

type Parts = {
  config: Config;
  store: Store;
  clock: Clock;
  elapsed: Clock;
  log: Logger;
  nodes: ChainNodes;
  owner: string;
  families: ScanFamilies;
};

function countsOf({ blocks, lag, reorgs, failures, leftOut, stopped }: ScanFamilies, network: string): ScanCounts {
  // They begin at zero, so that the first one counts as an increase.
  for (const family of [blocks, reorgs, failures]) family.inc({ network }, 0);
  return {
    blocks: (more) => blocks.inc({ network }, more),
    lag: (count) => lag.set({ network }, count),
    reorganized: (count) => reorgs.inc({ network }, count),
    failed: () => failures.inc({ network }),
    leftOut: (count) => leftOut.set({ network }, count),
    stopped: (isStopped) => stopped.set({ network }, isStopped ? 1 : 0),
  };
}

function scannerOf({ config, nodes, ...parts }: Parts, caip2: string, counts: ScanCounts): ChainScanner {
  const node = nodes.chainNode(caip2)!;
  const assets = nodes.assets(node);
  if (node.kind === 'solana') return solanaScanner({ ...parts, node, assets, counts, most: config.scan.solanaAddresses });
  const finalityBlocks = finalityOf(caip2, config.sends.finalityBlocks);
  return evmScanner({ ...parts, node, assets, counts, finalityBlocks });
}

/** The worker that watches the chains of SCAN. */
export function openScans(parts: Parts): ScanWorker {
  const scanners = parts.config.scan.networks.map((caip2) => {
    const counts = countsOf(parts.families, caip2);
    return { scanner: scannerOf(parts, caip2, counts), counts };
  });
  return scanWorker({ ...parts, scanners });
}
