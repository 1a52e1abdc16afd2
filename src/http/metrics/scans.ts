import { Counter, Gauge, type Registry } from 'prom-client';

const labelNames = ['network'] as const;

/** Only the process that scans a network has its values. */
export const scanFamilies = (registers: Registry[]) => ({
  blocks: new Counter({
    name: 'countersign_scan_blocks_total',
    help: 'Blocks that were scanned, by network',
    labelNames,
    registers,
  }),
  lag: new Gauge({
    name: 'countersign_scan_lag_blocks',
    help: 'Blocks between the latest one of a network and the last scanned one',
    labelNames,
    registers,
  }),
  failures: new Counter({
    name: 'countersign_scan_failures_total',
    help: 'Steps of a scan that failed and are retried, by network',
    labelNames,
    registers,
  }),
  leftOut: new Gauge({
    name: 'countersign_scan_left_out_addresses',
    help: 'Addresses of wallet accounts on Solana that are not watched: there are more than SCAN_SOLANA_ADDRESSES',
    labelNames,
    registers,
  }),
  reorgs: new Counter({
    name: 'countersign_scan_reorganized_blocks_total',
    help: 'Scanned blocks that fell out of the chain, by network',
    labelNames,
    registers,
  }),
  stopped: new Gauge({
    name: 'countersign_scan_stopped',
    help: '1 for a network whose scan needs the operator: it would skip blocks, or contradict events',
    labelNames,
    registers,
  }),
});

export type ScanFamilies = ReturnType<typeof scanFamilies>;
