import type { Clock } from '../base/clock.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import type { ChainNodes } from '../nodes/chain-nodes.ts';
import { evmLane } from '../sending/evm/lane/lane.ts';
import type { GasPort } from '../sending/evm/lane/work.ts';
import { releaseGas, settleGas } from '../sending/gas/reserve.ts';
import { solanaLane } from '../sending/solana/lane.ts';
import type { Store } from '../store/types.ts';
import { type SendWorker, sendWorker } from '../workers/sends/worker.ts';
import type { Logger } from './log/logger.ts';

type Parts = {
  config: Config;
  store: Store;
  clock: Clock;
  elapsed: Clock;
  log: Logger;
  nodes: ChainNodes;
  vault: Engine['vault'];
  owner: string;
};

const gas: GasPort = {
  settle: async (tx, send, units) => {
    if (send.sponsored) await settleGas(tx, send, units);
  },
  release: async (tx, send) => {
    if (send.sponsored) await releaseGas(tx, send);
  },
};

/** What puts transactions through, on every kind of network. */
export function openSends({ store, clock, elapsed, log, nodes, vault, owner }: Parts): SendWorker {
  const { signing, paymaster } = vault;
  const evm = evmLane({ read: store.read, nodes, vault: signing, paymaster, gas, clock, elapsed, log });
  const solana = solanaLane({ read: store.read, clock, log, nodes, tools: { vault: signing, paymaster } });
  return sendWorker({ store, clock, log, lanes: [evm, solana], owner });
}
