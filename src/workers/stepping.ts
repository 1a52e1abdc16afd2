import type { Clock } from '../base/clock.ts';
import type { Log } from '../engine/ports.ts';

export type SteppingWorker = {
  /** Steps until nothing is left or the worker is closed. */
  run(): Promise<void>;
  /** Runs from time to time. */
  start(): void;
  /** Resolves when a step that has begun is done. */
  close(): Promise<void>;
};

type Parts = {
  elapsed: Clock;
  log: Log;
  everyMs: number;
  /** How long it rests after a step, in times of the step. */
  rests: number;
  /** False: nothing is left for now. */
  step(isFirst: boolean): Promise<boolean>;
  /** After the last step. */
  leave(): Promise<void>;
  /** The log says this if a step fails. */
  failed: string;
};

const LONGEST_REST_MS = 2_000;

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

  async function run(): Promise<void> {
    for (let isFirst = true; !closed; isFirst = false) {
      const begun = elapsed.now();
      if (!(await step(isFirst)) || closed) return;
      await rest(Math.min((elapsed.now() - begun) * rests, LONGEST_REST_MS));
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
