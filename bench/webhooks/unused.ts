/**
 * What webhooks cost an organization that has no endpoint, as `--only=webhooks-unused`. Two services sign in turn. One of them has 1,000 endpoints
 * of other organizations. In each round both have their turn, so the ratio of one round is that of a pair.
 */
import { randomInt } from 'node:crypto';
import { median, medianInterval } from '../sending/windows.ts';
import { startService } from '../servers.ts';
import { readCredentials } from '../stamp.ts';
import { type Contender, measureInTurn, warmUp } from '../turns.ts';
import type { Servers } from '../types.ts';
import { signRawPayload } from '../workloads.ts';
import { createEndpoints, createSigners } from './organizations.ts';

export type UnusedFigures = {
  operation: 'sign_raw_payload without endpoints';
  endpoints: number;
  pairs: number;
  /** Without endpoints of others, and with them. */
  requestsPerSecond: [number, number];
  /** Processor time of a signature by that without endpoints of others: the median of pairs, and its 95 % interval. */
  cpu: number;
  interval: [number, number];
  node: string;
};

type Options = {
  program: string;
  quick: boolean;
  rounds: number;
  seconds: number | undefined;
  warmup: number | undefined;
  say(text: string): void;
};

const CONCURRENCY = 32;
const ENDPOINTS = 2;
const MOST_LOSS = 1.03;
/** Nothing is sent there: these organizations only sign. */
const NOWHERE = 9;

export async function measureUnused({ program, quick, rounds, seconds, warmup, say }: Options): Promise<UnusedFigures> {
  const organizations = quick ? 50 : 500;
  const started: Servers[] = [];
  try {
    const contenders: Contender[] = [];
    for (const name of ['no endpoints', `${organizations * ENDPOINTS} endpoints of others`]) {
      const env = () => ({ OUTBOUND_ALLOW: `127.0.0.1:${NOWHERE}` });
      const servers = await startService({ processes: 1, databaseUrl: undefined, env }, program);
      started.push(servers);
      contenders.push({ ...servers, workload: signRawPayload, name });
    }
    const [plain, telling] = started as [Servers, Servers];
    // The same organizations on both sides.
    await createSigners(plain.ports[0]!, readCredentials(plain.credentialsFile), organizations);
    const port = telling.ports[0]!;
    const others = await createSigners(port, readCredentials(telling.credentialsFile), organizations);
    await createEndpoints(port, others, ENDPOINTS, NOWHERE, 'SEND_TRANSACTION_STATUS_UPDATES');
    await warmUp(contenders, warmup);
    const [without, beside] = await measureInTurn(contenders, { concurrency: CONCURRENCY, rounds, seconds }, say);
    const ratios = without!.map((one, i) => (one.requestsPerCpuSecond ?? Number.NaN) / (beside![i]!.requestsPerCpuSecond ?? 1));
    return {
      ...({ operation: 'sign_raw_payload without endpoints', endpoints: organizations * ENDPOINTS } as const),
      pairs: rounds,
      requestsPerSecond: [
        median(without!.map((one) => one.requestsPerSecond)),
        median(beside!.map((one) => one.requestsPerSecond)),
      ],
      cpu: median(ratios),
      interval: medianInterval(ratios, randomInt),
      node: process.version,
    };
  } finally {
    for (const { stop } of started) await stop();
  }
}

export function unusedTable({ endpoints, pairs, requestsPerSecond, cpu, interval: [low, high] }: UnusedFigures): string {
  const holds = cpu <= MOST_LOSS;
  if (!holds) process.exitCode = 1;
  const [without, beside] = requestsPerSecond;
  return [
    `Signatures of an organization without endpoints (sqlite, ${CONCURRENCY} concurrent, ${pairs} pairs of rounds)`,
    '',
    `none ${without.toFixed(0)}/s, ${endpoints} of others ${beside.toFixed(0)}/s, CPU ${cpu.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`,
    '',
    `${holds ? 'holds' : 'FAILS'}: endpoints of others take at most ${MOST_LOSS} of the processor time of a signature`,
  ].join('\n');
}
