import { elapsedTime, systemClock } from '../base/clock.ts';
import { type ChainNodes, chainNodes } from '../chain-io/nodes/chain-nodes.ts';
import type { Config } from '../config.ts';

const log = { info() {}, warn() {}, error() {} };

/** For a command, which shows the state of endpoints without the log. */
export const QUIET = { elapsed: elapsedTime, machine: systemClock, log };

/** The nodes of the served networks, while a command uses them. */
export async function withNodes<T>({ chains }: Config, work: (nodes: ChainNodes) => Promise<T>): Promise<T> {
  const nodes = chainNodes({ settings: chains, ...QUIET });
  try {
    return await work(nodes);
  } finally {
    await nodes.close();
  }
}
