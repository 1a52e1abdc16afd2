import type { Clock } from '../base/clock.ts';
import { utilization } from '../base/utilization.ts';
import type { Log } from '../engine/ports.ts';

export type SteppingWorker = {
  /** Steps until nothing is left or the worker is closed. */
  run(): Promise<void>;
  /** Runs from time to time. */
  start(): void;
  /** Resolves when a step that has begun is done. */
  close(): Promise<void>;
};

/** How long a worker rests after a step, in times of the step. It is asked when the rest begins, and again after the first of them. */
type Pace = () => () => number;

type Parts = {
  elapsed: Clock;
  log: Log;
  everyMs: number;
  rests: number | Pace;
  /** False: nothing is left for now. */
  step(isFirst: boolean): Promise<boolean>;
  /** After the last step. */
  leave(): Promise<void>;
  /** The log says this if a step fails. */
  failed: string;
};

const LONGEST_REST_MS = 2_000;

/** On a busy thread a worker takes 3 % of it. */
const MOST_RESTS = 32;

/** The rest is as long as the step on an idle thread. On a busy one it is up to 32 times as long. */
export function byLoad(measure: typeof utilization = utilization): Pace {
  return () => {
    const busy = measure();
    return () => 1 + (MOST_RESTS - 1) * busy() ** 2;
  };
}

/** Work in steps, with a rest after each that keeps its share of the machine small. A failed step is tried again later. */
export function steppingWorker({ elapsed, log, everyMs, rests, step, leave, failed }: Parts): SteppingWorker {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let rested: (() => void) | undefined;
  let running: Promise<void> = Promise.resolve();

  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      rested = resolve;
      timer = setTimeout(resolve, ms);
    });

  async function restAfter(took: number): Promise<void> {
    if (typeof rests === 'number') return rest(Math.min(took * rests, LONGEST_REST_MS));
    // The step itself is not measured: only what others do meanwhile.
    const all = rests();
    await rest(Math.min(took, LONGEST_REST_MS));
    if (!closed) await rest(Math.min(took * (all() - 1), LONGEST_REST_MS));
  }

  async function run(): Promise<void> {
    for (let isFirst = true; !closed; isFirst = false) {
      const begun = elapsed.now();
      if (!(await step(isFirst)) || closed) return;
      await restAfter(elapsed.now() - begun);
    }
  }

  async function again(): Promise<void> {
    try {
      await run();
    } catch (error) {
      log.warn({ error }, failed);
    }
    if (closed) return;
    timer = setTimeout(() => {
      running = again();
    }, everyMs);
    timer.unref();
  }

  return {
    run,
    start() {
      running = again();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      rested?.();
      await running;
      await leave().catch((error) => log.warn({ error }, failed));
    },
  };
}
