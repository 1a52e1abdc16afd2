/** The time until eth_send_transaction is answered, and until a node has the transaction. */
import type { Measured } from '../load.ts';
import { submit } from '../prepare.ts';
import { readCredentials } from '../stamp.ts';
import { bodyOf } from '../workloads.ts';
import { startChain } from './chain.ts';
import { feesOf, median, type Options, on } from './common.ts';
import { startRelay } from './relay.ts';
import { startSending } from './service.ts';
import { at } from './windows.ts';
import { FILLED, GIVEN } from './workloads.ts';

export type Accepted = { fees: string; concurrency: number; perSecond: number; p50Ms: number; p99Ms: number };
export type ToNode = { fees: string; p50Ms: number; p99Ms: number; afterAnswerP50Ms: number };

export function measureAccepted(options: Options): Promise<Accepted[]> {
  return on(options, undefined, async (service, chain) => {
    const figures: Accepted[] = [];
    for (const workload of [GIVEN, FILLED])
      for (const connections of [1, 32]) {
        const from = await service.newSender();
        const rounds: Measured[] = [];
        let sent = 0;
        // The first is the warm-up.
        for (let round = 0; round <= options.rounds; round++) {
          const count = connections === 1 ? 300 : 600;
          const measured = await service.load(from, { workload, connections, count });
          if (round > 0) rounds.push(measured);
          sent += count;
          await chain.untilNonce(from, sent);
        }
        const figure = {
          fees: feesOf(workload),
          concurrency: connections,
          perSecond: median(rounds, (one) => one.requestsPerSecond),
          p50Ms: median(rounds, (one) => one.p50Ms),
          p99Ms: median(rounds, (one) => one.p99Ms),
        };
        options.say(`accepted, ${JSON.stringify(figure)}`);
        figures.push(figure);
      }
    return figures;
  });
}

const APART = 150;

/** One at a time, so that no send waits for an earlier one. */
export async function measureToNode({ program, databaseUrl, say }: Options): Promise<ToNode[]> {
  const chain = await startChain();
  const relay = await startRelay(chain.url);
  try {
    const service = await startSending(program, chain, relay.url, await databaseUrl());
    try {
      const root = readCredentials(service.credentialsFile);
      const figures: ToNode[] = [];
      for (const workload of [GIVEN, FILLED]) {
        const from = await service.newSender();
        const toNode: number[] = [];
        const afterAnswer: number[] = [];
        for (let i = 0; i < APART; i++) {
          const body = bodyOf(workload, root.organizationId, from, i, Date.now());
          const arrives = relay.nextArrival();
          const sentAt = performance.now();
          await submit(service.port, root, workload.path, body);
          const answeredAt = performance.now();
          const arrivedAt = await arrives;
          await chain.untilNonce(from, i + 1);
          if (i < APART / 5) continue;
          toNode.push(arrivedAt - sentAt);
          afterAnswer.push(arrivedAt - answeredAt);
        }
        const figure = {
          fees: feesOf(workload),
          p50Ms: at(toNode, 0.5),
          p99Ms: at(toNode, 0.99),
          afterAnswerP50Ms: at(afterAnswer, 0.5),
        };
        say(`request to node, ${JSON.stringify(figure)}`);
        figures.push(figure);
      }
      return figures;
    } finally {
      await service.stop();
    }
  } finally {
    await relay.close();
    await chain.stop();
  }
}
