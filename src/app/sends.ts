import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Vault } from '../custody/types.ts';
import type { Log } from '../engine/ports.ts';
import type { ChainNodes } from '../nodes/chain-nodes.ts';
import { solanaLane } from '../sending/solana/lane.ts';
import type { Store } from '../store/types.ts';
import { type SendWorker, sendWorker } from '../workers/sends/worker.ts';

type Parts = { store: Store; clock: Clock; ids: Ids; log: Log; vault: Vault; nodes: ChainNodes };

/** What puts the sends through, of every kind of network. */
export function openSends({ store, clock, ids, log, vault, nodes }: Parts): SendWorker {
  const { read } = store;
  const tools = { vault: vault.signing, paymaster: vault.paymaster };
  return sendWorker({ store, clock, log, owner: ids.next(), lanes: [solanaLane({ read, clock, log, nodes, tools })] });
}
