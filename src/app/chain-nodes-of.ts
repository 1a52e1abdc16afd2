import { elapsedTime, systemClock } from '../base/clock.ts';
import type { Config } from '../config.ts';
import { type ChainNodes, chainNodes } from '../nodes/chain-nodes.ts';

const log = { info() {}, warn() {}, error() {} };

/** For a command: what the log would say of endpoints is shown otherwise. */
export const QUIET = { elapsed: elapsedTime, machine: systemClock, log };

/** The nodes of the networks that are served, while a command uses them. */
export async function withNodes<T>({ chains }: Config, work: (nodes: ChainNodes) => Promise<T>): Promise<T> {
  const nodes = chainNodes({ settings: chains, ...QUIET });
  try {
    return await work(nodes);
  } finally {
    await nodes.close();
  }
}
