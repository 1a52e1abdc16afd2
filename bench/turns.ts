/** Servers beside each other: warmed up together, and then measured in turn. */
import { setTimeout } from 'node:timers/promises';
import type { Measured } from './load.ts';
import { measuredBy, startLoad, type Target } from './loader.ts';
import type { Workload } from './types.ts';

/** `name`: as the output calls it. `settled`: waits for its work after the last answer. */
export type Contender = Target & { name: string; settled?: (() => Promise<void>) | undefined };

/** `seconds`: of a slice. Unless given, as the workload says. */
type Turns = { concurrency: number; rounds: number; seconds: number | undefined };

const WARMUP_CONCURRENCY = 16;
/** Before a slice is measured, so that all connections are busy. */
const SETTLED_S = 0.3;
/** Before the first slice with fewer connections than the warm-up had. */
const SETTLED_OTHERWISE_S = 1.5;
/** Between two slices, so that work of one side after its last answer is not the other's cost. */
const PAUSE_MS = 300;
const SLICE_S = 2;
/** The most requests per second to prepare for the first round, with this number of connections. */
const RATES = new Map([[1, 4000]]);
/** In later rounds, this multiple of the requests that the fastest round answered. */
const FASTER = 1.5;

export const secondsOf = ({ seconds }: Workload, asked: number | undefined): number => asked ?? seconds ?? SLICE_S;

/**
 * Lasts until V8 optimises no more code, as in a service that has run for days. Each process gets as many requests as the
 * workload says, all sides together. With `seconds`, each side gets that time, one after the other. On a slow machine, seconds
 * would end too soon, and compiling costs the service more than the floor.
 */
export async function warmUp(contenders: readonly Contender[], seconds: number | undefined): Promise<void> {
  const connections = WARMUP_CONCURRENCY;
  if (seconds === undefined) {
    const loads = contenders.map((one) => startLoad(one, { connections, count: one.workload.warmup * one.ports.length }));
    await Promise.all(loads.map(measuredBy));
    return;
  }
  for (const one of contenders) await measuredBy(startLoad(one, { connections, warmup: seconds, seconds: SETTLED_S }));
}

/** The requests that the fastest round would need and more; in the first round, as many as most machines need. */
function rateFor({ workload }: Contender, concurrency: number, before: readonly Measured[]): number {
  if (before.length === 0) return Math.min(workload.rate, RATES.get(concurrency) ?? workload.rate);
  return Math.max(workload.rate / 4, ...before.map((one) => one.requestsPerSecond * FASTER));
}

/**
 * Measures each of them in every round. They take turns at going first, so that none always has the quieter time. While one is
 * measured, the load of the others is ready and waits. The results are in the order of the contenders, and of the rounds.
 */
export async function measureInTurn(
  contenders: readonly Contender[],
  { concurrency, rounds, seconds }: Turns,
  say: (text: string) => void,
): Promise<Measured[][]> {
  const results: Measured[][] = contenders.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const turns = contenders.map((contender, index) => {
      const load = {
        connections: concurrency,
        rate: rateFor(contender, concurrency, results[index]!),
        warmup: round === 0 && concurrency < WARMUP_CONCURRENCY ? SETTLED_OTHERWISE_S : SETTLED_S,
        seconds: secondsOf(contender.workload, seconds),
      };
      return { contender, result: results[index]!, program: startLoad(contender, load, '--wait') };
    });
    await Promise.all(turns.map(({ program }) => program.said));
    for (const { contender, result, program } of round % 2 === 0 ? turns : turns.toReversed()) {
      await setTimeout(PAUSE_MS);
      program.go();
      const measured = await measuredBy(program);
      result.push(measured);
      await contender.settled?.();
      const { requestsPerSecond, p50Ms, p99Ms, ranOut } = measured;
      const early = ranOut ? ' (ended early: requests ran out)' : '';
      say(
        `round ${round + 1}/${rounds}, ${contender.name}, concurrency ${concurrency}: ${requestsPerSecond}/s, p50 ${p50Ms} ms, p99 ${p99Ms} ms${early}`,
      );
    }
  }
  return results;
}
