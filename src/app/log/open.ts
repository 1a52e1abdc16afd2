import { isatty } from 'node:tty';
import type { Clock } from '../../base/clock.ts';
import { blocks } from './blocks.ts';
import { jsonLine, terminalLine } from './lines.ts';
import { type Logger, logger } from './logger.ts';
import { STANDARD_ERROR, standardError } from './output.ts';

/** How long the end waits for an output that does not take the last lines. */
const FLUSH_WITHIN_MS = 1000;

export type OpenLog = { log: Logger; close(): Promise<void> };

/**
 * The log on standard error: for people on a terminal, for programs elsewhere. Waiting lines are also written when the process ends
 * by an error or by process.exit.
 */
export function openLog(level: string, clock: Clock, onLost: (lines: number) => void, output = standardError()): OpenLog {
  const lines = blocks(output, onLost, (count) =>
    log.warn({ lines: count }, 'lines of the log were lost, because standard error did not accept them'),
  );
  const log = logger({ level, lineOf: isatty(STANDARD_ERROR) ? terminalLine : jsonLine }, lines, clock);
  process.on('exit', lines.end);
  return {
    log,
    async close() {
      await lines.flush(FLUSH_WITHIN_MS);
      process.off('exit', lines.end);
    },
  };
}
