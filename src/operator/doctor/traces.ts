import { loadTraces } from '../../app/traces/open.ts';
import { type Config, ConfigError } from '../../config.ts';
import { type Found, ok, problem } from './finding.ts';

/** Whether the packages that traces need are there. Nothing is sent to the collector. */
export async function checkTraces({ traces }: Config): Promise<Found[]> {
  if (traces === undefined) return [ok('traces are off')];
  try {
    await loadTraces();
    return [ok(`traces go to ${new URL(traces.endpoint).host}, which is not asked here`)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [problem(error.message, 'run the command, or unset OTEL_EXPORTER_OTLP_ENDPOINT')];
  }
}
