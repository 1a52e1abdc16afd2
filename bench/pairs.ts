/** Two services sign in turn. In each round both have their turn, so the ratio of one round is that of a pair. */
import { randomInt } from 'node:crypto';
import { median, medianInterval } from './sending/windows.ts';
import { startService } from './servers.ts';
import { type Contender, measureInTurn, warmUp } from './turns.ts';
import type { Servers } from './types.ts';
import { signRawPayload } from './workloads.ts';

export type PairFigures = {
  pairs: number;
  /** Of the first service, and of the second. */
  requestsPerSecond: [number, number];
  /** Medians of the rounds. */
  p99Ms: [number, number];
  /** Processor time of a signature, of the second by the first: median of pairs, and its 95 % interval. */
  cpu: number;
  interval: [number, number];
  node: string;
};

export type PairOptions = {
  program: string;
  rounds: number;
  seconds: number | undefined;
  warmup: number | undefined;
  say(text: string): void;
};

type Pair = {
  names: readonly [string, string];
  env?: Record<string, string>;
  /** What the two are to differ in, before the warm-up. */
  prepare?(first: Servers, second: Servers): Promise<void>;
  /** After the warm-up. */
  begin?(second: Servers): Promise<void>;
  end?(): Promise<void>;
};

export const PAIR_CONCURRENCY = 32;

export async function measurePair(
  { program, rounds, seconds, warmup, say }: PairOptions,
  { names, env = {}, prepare, begin, end }: Pair,
): Promise<PairFigures> {
  const started: Servers[] = [];
  try {
    const contenders: Contender[] = [];
    for (const name of names) {
      const servers = await startService({ processes: 1, databaseUrl: undefined, env: () => env }, program);
      started.push(servers);
      contenders.push({ ...servers, workload: signRawPayload, name });
    }
    await prepare?.(started[0]!, started[1]!);
    await warmUp(contenders, warmup);
    await begin?.(started[1]!);
    const [first, second] = await measureInTurn(contenders, { concurrency: PAIR_CONCURRENCY, rounds, seconds }, say);
    const ratios = first!.map((one, i) => (one.requestsPerCpuSecond ?? Number.NaN) / (second![i]!.requestsPerCpuSecond ?? 1));
    return {
      pairs: rounds,
      requestsPerSecond: [
        median(first!.map((one) => one.requestsPerSecond)),
        median(second!.map((one) => one.requestsPerSecond)),
      ],
      p99Ms: [median(first!.map((one) => one.p99Ms)), median(second!.map((one) => one.p99Ms))],
      cpu: median(ratios),
      interval: medianInterval(ratios, randomInt),
      node: process.version,
    };
  } finally {
    await end?.();
    for (const { stop } of started) await stop();
  }
}

/** `names`: of the two, as in the rounds. */
export const pairLine = (
  { requestsPerSecond: [one, other], cpu, interval: [low, high] }: PairFigures,
  names: readonly [string, string],
): string =>
  `${names[0]} ${one.toFixed(0)}/s, ${names[1]} ${other.toFixed(0)}/s, CPU ${cpu.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
