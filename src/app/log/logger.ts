import type { Clock } from '../../base/clock.ts';
import { rfc3339 } from '../../base/time.ts';
import type { Blocks } from './blocks.ts';
import type { Fields, LogLine } from './lines.ts';

/** The lowest first. */
const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** From this level on a line is written immediately. */
const URGENT = LEVELS.indexOf('warn');

type Write = (fields: Fields, message: string) => void;

export type Logger = { debug: Write; info: Write; warn: Write; error: Write };

type Shape = {
  /** Lines below it are left out. */
  level: string;
  lineOf: LogLine;
};

export function logger({ level: least, lineOf }: Shape, blocks: Pick<Blocks, 'write'>, clock: Clock): Logger {
  const at = (level: string): Write => {
    const rank = LEVELS.indexOf(level);
    if (rank < LEVELS.indexOf(least)) return () => {};
    return (fields, message) => blocks.write(lineOf(level, rfc3339(clock.now()), fields, message), rank >= URGENT);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
