import type { Clock } from '../../base/clock.ts';
import { rfc3339 } from '../../base/time.ts';
import type { Blocks } from './blocks.ts';
import { type Fields, logLine } from './lines.ts';

const LEVELS: Readonly<Record<string, number>> = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: 100 };

/** From here on a line is written at once. */
const URGENT = 40;

type Write = (fields: Fields, message: string) => void;

export type Logger = { debug: Write; info: Write; warn: Write; error: Write };

/** `level`: lines below it are left out. */
export function logger(level: string, blocks: Pick<Blocks, 'write'>, clock: Clock): Logger {
  const at = (number: number): Write =>
    number < LEVELS[level]!
      ? () => {}
      : (fields, message) => blocks.write(logLine(number, rfc3339(clock.now()), fields, message), number >= URGENT);
  return { debug: at(20), info: at(30), warn: at(40), error: at(50) };
}
