/** The runner of verifiable apps: a process that has nothing of the service but a socket. */
import { openLog } from './app/log/open.ts';
import { systemClock } from './base/clock.ts';
import { CommandFailed } from './base/command-failed.ts';
import { type RunnerConfig, readRunnerConfig } from './config.ts';
import { RunnerRefused } from './runner/hidden.ts';
import { SandboxRefused } from './runner/sandbox/types.ts';
import { runApps } from './runner/start.ts';
import { checkAppsDomain } from './settings/apps-domain.ts';

/** Resolves once a signal has stopped it. Throws ConfigError, or CommandFailed if it must not or cannot start. */
export async function runRunner(config: RunnerConfig = readRunnerConfig()): Promise<void> {
  const { log, close } = openLog(config.logLevel, systemClock, () => {});
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  try {
    const warning = config.baseUrl && (await checkAppsDomain(config.domain, config.baseUrl));
    if (warning) log.warn({}, warning);
    await runApps(config, log, stop.signal);
  } catch (error) {
    if (error instanceof RunnerRefused || error instanceof SandboxRefused) throw new CommandFailed(error.message);
    throw error;
  } finally {
    await close();
  }
}
