import { Lru } from '../../../base/lru.ts';
import type { ChainNodes } from '../../nodes/chain-nodes.ts';
import { NoNodeError } from '../../nodes/types.ts';
import type { Claimed, Lane, NextDue } from '../lane.ts';
import { begin } from './begin.ts';
import { deliver } from './deliver.ts';
import { watchIncluded, watchSent } from './watch.ts';
import { ChangedMeanwhile, type Memory, type Work } from './work.ts';

type Parts = Pick<Work, 'read' | 'clock' | 'tools' | 'log' | 'pace'> & { nodes: ChainNodes };

const NO_NODE_MS = 2_000;

const REMEMBERED = 4_096;

async function stepOf(work: Work): Promise<NextDue> {
  const due: NextDue[] = [];
  // Sends that are already broadcast come last: nothing new waits for them.
  for (const part of [begin, deliver, watchSent, watchIncluded]) {
    if (work.claimed.signal.aborted) return 0;
    due.push(await part(work));
  }
  const next = due.filter((one) => one !== undefined);
  return next.length === 0 ? undefined : Math.min(...next);
}

/** Processes the sends of Solana's clusters. The order of sends does not matter: they have no nonces. */
export function solanaLane({ nodes, ...parts }: Parts): Lane {
  const memory: Memory = { given: new Lru(REMEMBERED), clashes: new Lru(REMEMBERED), doubted: new Lru(REMEMBERED) };
  return {
    kind: 'solana',
    networks: nodes.networks.filter((caip2) => nodes.chainNode(caip2)?.kind === 'solana'),
    async step(claimed: Claimed): Promise<NextDue> {
      const node = nodes.chainNode(claimed.caip2);
      if (node?.kind !== 'solana') throw new Error(`${claimed.caip2} is not served here`);
      try {
        return await stepOf({ ...parts, node, claimed, memory });
      } catch (error) {
        if (error instanceof NoNodeError) return NO_NODE_MS;
        if (error instanceof ChangedMeanwhile) return 0;
        throw error;
      }
    },
  };
}
