import { type Clock, elapsedTime, systemClock } from '../base/clock.ts';
import { type Random, systemRandom } from '../base/random.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { type Metrics, metrics } from '../http/metrics/metrics.ts';
import type { Logger } from './log/logger.ts';
import { openLog } from './log/open.ts';
import type { Output } from './log/output.ts';
import { openTraces, type Traces } from './traces/open.ts';

/**
 * The parts that tests replace: the machine's clock, elapsed time, randomness. `fault`: called when an operation answers with a
 * code that it does not declare. `built`: receives the engine, for tests that replace an operation that does not exist yet.
 */
export type Surroundings = {
  machine?: Clock;
  elapsed?: Clock;
  random?: Random;
  fault?: Engine['fault'];
  built?(engine: Engine): void;
  /** Of the log, in place of standard error. */
  output?: Output;
};

/** What every step of the start uses. */
export type Ground = Required<Omit<Surroundings, 'built' | 'output'>> & {
  config: Config;
  log: Logger;
  closeLog(): Promise<void>;
  counts: Metrics;
  /** Undefined: traces are off. */
  traces: Traces | undefined;
};

/** Throws ConfigError. */
export async function groundOf(config: Config, surroundings: Surroundings): Promise<Ground> {
  const { machine = systemClock, elapsed = elapsedTime, random = systemRandom } = surroundings;
  const counts = metrics(elapsed);
  const { log, close: closeLog } = openLog(
    config.logLevel,
    systemClock,
    (lines) => counts.logLinesLost.inc(lines),
    surroundings.output,
  );
  const fault: Engine['fault'] =
    surroundings.fault ??
    ((operation, error) =>
      log.error({ operation, code: error.code, error }, 'an operation answered with an error code that it does not declare'));
  for (const warning of config.warnings) log.warn({}, warning);
  try {
    const traces = config.traces && (await openTraces(config.traces, log, elapsed));
    return { config, machine, elapsed, random, fault, log, closeLog, counts, traces };
  } catch (error) {
    await closeLog();
    throw error;
  }
}
