import { resolve } from 'node:path';
import { type BuiltConsole, consoleIn } from '../app/console/built.ts';
import { COMMAND } from '../app/console/waiting.ts';
import { CommandFailed } from '../base/command-failed.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

export const isAddress = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);

/** The console of this checkout, or of this package. */
export function builtHere(): BuiltConsole {
  const built = consoleIn(ROOT);
  if (built === undefined) throw new CommandFailed(`the console of this folder is not built: run ${COMMAND}`);
  return built;
}
