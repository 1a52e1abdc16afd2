import { CommandFailed } from '../base/command-failed.ts';
import { nearest } from '../base/nearest.ts';
import { UsageError } from './client.ts';
import { printable } from './printable.ts';

const LONGEST_PATH = 1000;
/** Names that a message lists. */
const LISTED = 20;

/** Names of members, positions in lists, and `*` for each. Throws UsageError. */
export function pathOf(path: string): string[] {
  const parts = path.split('.');
  if (path.length > LONGEST_PATH || parts.includes(''))
    throw new UsageError(
      `--field must be names and positions with dots between them, such as activity.status or users.0.userName, not "${path}"`,
    );
  return parts;
}

const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function missing(value: unknown, part: string, path: string): CommandFailed {
  const names = isBranch(value) ? Object.keys(value) : [];
  const meant = nearest(part, names);
  const hint = meant === undefined ? '' : `: did you mean ${meant}?`;
  return new CommandFailed(
    printable(`there is no "${part}" of ${path}${hint} (${names.slice(0, LISTED).join(', ') || 'it is empty'})`),
  );
}

/** The values at a path, a line each: texts as they are, and all else as JSON. Throws CommandFailed if there is none. */
export function linesOf(value: unknown, path: string): string[] {
  let found = [value];
  for (const part of pathOf(path)) {
    const next = found.flatMap((at) => {
      if (!isBranch(at)) return [];
      if (part === '*') return Object.values(at);
      return Object.hasOwn(at, part) ? [at[part]] : [];
    });
    // Of several members, those without this part are left out: a result has the activity beside it.
    if (next.length === 0 && part !== '*' && found.length > 0) throw missing(found[0], part, path);
    found = next;
  }
  return found.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`);
}
