import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { ChainNodes } from '../chain-io/nodes/chain-nodes.ts';
import { evmLane } from '../chain-io/sends/evm/lane/lane.ts';
import type { GasPort } from '../chain-io/sends/evm/lane/parts.ts';
import { coverGas, raiseGas, releaseGas, settleGas } from '../chain-io/sends/gas/reserve.ts';
import { pace } from '../chain-io/sends/pace.ts';
import { solanaLane } from '../chain-io/sends/solana/lane.ts';
import { type SendWorker, sendWorker } from '../chain-io/worker/worker.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { laneCounts, type SendFamilies } from '../http/metrics/sends.ts';
import type { Store } from '../store/types.ts';
import type { Logger } from './log/logger.ts';

type Parts = {
  config: Config;
  store: Store;
  clock: Clock;
  elapsed: Clock;
  log: Logger;
  nodes: ChainNodes;
  load: Pick<Engine['load'], 'signed'>;
  vault: Engine['vault'];
  owner: string;
  counts: { readonly sends: SendFamilies };
};

const gas: GasPort = {
  settle: async (tx, send, units) => {
    if (send.sponsored) await settleGas(tx, send, units);
  },
  release: async (tx, send) => {
    if (send.sponsored) await releaseGas(tx, send);
  },
  cover: async (tx, send, units) => {
    if (send.sponsored) await coverGas(tx, send, units);
  },
  async raise(store, send, units, now) {
    if (!send.sponsored || units === 0n) return true;
    const organization = await store.organizations.get(send.organizationId);
    // Nothing more is reserved for a deleted organization.
    if (organization === undefined) return false;
    try {
      await raiseGas({ store, organization, now }, send, units);
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  },
};

/** The workers that process sends, on every kind of network. */
export function openSends({ config, store, clock, elapsed, log, nodes, load, vault, owner, counts }: Parts): SendWorker {
  const { signing, paymaster } = vault;
  const paced = pace({ signed: () => load.signed, elapsed });
  const evm = evmLane({
    read: store.read,
    nodes,
    vault: signing,
    paymaster,
    gas,
    ...laneCounts(counts.sends),
    pace: paced,
    clock,
    elapsed,
    log,
    settings: config.sends,
  });
  const solana = solanaLane({ read: store.read, clock, log, pace: paced, nodes, tools: { vault: signing, paymaster } });
  return sendWorker({ store, clock, log, lanes: [evm, solana], owner, restMs: paced.restMs });
}
