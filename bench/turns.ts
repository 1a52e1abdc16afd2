/** Servers beside each other: warmed up together, and then measured in turn. */
import type { Measured } from './load.ts';
import { type Load, measuredBy, startLoad, type Target } from './loader.ts';

/** `name`: as it is called in what is said. */
export type Contender = Target & { name: string };

type Turns = { concurrency: number; rounds: number; seconds: number };

const WARMUP_CONCURRENCY = 16;
/** Before a slice is measured, so that all connections are busy. */
const SETTLED_S = 0.3;
/** Requests a second to make ready at most for the first round, where there are so many connections. */
const RATES = new Map([[1, 4000]]);
/** Later, so many times as many as were answered in the fastest round. */
const FASTER = 1.5;

/**
 * Until compiled code is replaced by optimised code no more, as in a service that has run for days: as many requests as the workload says,
 * unless `seconds` are given. On a slow machine, seconds would end sooner, and compiling costs the service more than the floor.
 */
export async function warmUp(contenders: readonly Contender[], seconds: number | undefined): Promise<void> {
  const loadOf = ({ workload }: Contender): Load =>
    seconds === undefined
      ? { connections: WARMUP_CONCURRENCY, count: workload.warmup }
      : { connections: WARMUP_CONCURRENCY, warmup: seconds, seconds: SETTLED_S };
  await Promise.all(contenders.map((one) => measuredBy(startLoad(one, loadOf(one)))));
}

/**
 * Measures each of them in every round. They take turns at going first, so that none always has the quieter time; while one is measured,
 * the load of the others is ready and waits. The results are in the order of the contenders, and of the rounds.
 */
export async function measureInTurn(
  contenders: readonly Contender[],
  { concurrency, rounds, seconds }: Turns,
  say: (text: string) => void,
): Promise<Measured[][]> {
  const results: Measured[][] = contenders.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const turns = contenders.map((contender, index) => {
      const { workload } = contender;
      const seen = results[index]!.map((one) => one.requestsPerSecond * FASTER);
      const load = {
        connections: concurrency,
        rate: seen.length === 0 ? Math.min(workload.rate, RATES.get(concurrency) ?? workload.rate) : Math.max(...seen),
        warmup: SETTLED_S,
        seconds: Math.min(seconds, workload.seconds ?? seconds),
      };
      return { contender, result: results[index]!, program: startLoad(contender, load, '--wait') };
    });
    await Promise.all(turns.map(({ program }) => program.said));
    for (const { contender, result, program } of round % 2 === 0 ? turns : turns.toReversed()) {
      program.go();
      const measured = await measuredBy(program);
      result.push(measured);
      const { requestsPerSecond, p50Ms, p99Ms, ranOut } = measured;
      const early = ranOut ? ' (ended early: requests ran out)' : '';
      say(`round ${round + 1}/${rounds}, ${contender.name}: ${requestsPerSecond}/s, p50 ${p50Ms} ms, p99 ${p99Ms} ms${early}`);
    }
  }
  return results;
}
