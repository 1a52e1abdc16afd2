import { constants } from 'node:os';
import type { GroupLimits } from './cgroups/types.ts';
import type { Ending } from './types.ts';

/** Bubblewrap exits as shells do: with 128 and the signal's number. */
const SIGNALED = 128;

interface Facts {
  /** Bubblewrap's exit code. Null if a signal ended it. */
  readonly code: number | null;
  readonly hasRun: boolean;
  /** Why the runner stopped the app. */
  readonly stop: string | undefined;
  /** The last line of bubblewrap's messages. */
  readonly lastMessage: string;
  readonly counts: { readonly oomKills: number; readonly refusedForks: number };
  readonly limits: GroupLimits;
}

const signalName = (signal: number): string =>
  Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`;

/** Why the app ended, in words for its owner. */
export function endingOf({ code, hasRun, stop, lastMessage, counts, limits }: Facts): Ending {
  const signal = code === null ? constants.signals.SIGKILL : code > SIGNALED ? code - SIGNALED : undefined;
  const how = signal === undefined ? { exitCode: code! } : { signal };
  const rest = { ...how, ...counts };
  const ended = signal === undefined ? `It exited with code ${code}` : `${signalName(signal)} ended it`;
  if (stop !== undefined) return { reason: 'stopped', text: stop, ...rest };
  if (counts.oomKills > 0 && code !== 0) {
    const text = `It reached its memory limit of ${limits.memoryBytes} bytes, which count its files in /tmp.`;
    return { reason: 'memory-limit', text, ...rest };
  }
  // A signal that ended bubblewrap keeps its exit code from being told. The last message may then be a line of the app.
  if (!hasRun && code !== null) {
    const hint = lastMessage.includes('execvp') ? ' It must be a static executable for this machine.' : '';
    return { reason: 'not-started', text: `The sandbox did not start it: ${lastMessage || ended}.${hint}`, ...counts };
  }
  if (counts.refusedForks > 0 && code !== 0) {
    const text = `${ended}, after its limit of ${limits.processes} processes refused ${counts.refusedForks} forks.`;
    return { reason: 'process-limit', text, ...rest };
  }
  return { reason: signal === undefined ? 'exited' : 'signaled', text: `${ended}.`, ...rest };
}
