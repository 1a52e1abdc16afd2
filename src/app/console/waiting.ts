/** The page at /console/ while there is no console. */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Read } from '../../http/answer.ts';
import { buildIn } from './built.ts';
import { WAITING_HEADERS } from './headers.ts';

/** What set-up writes (scripts/setup/console.mjs): every second while it works, and at its end if it failed. */
export const STATE_FILE = '.cache/console-state.json';
export const COMMAND = 'npm run console';
const ROOT = resolve(import.meta.dirname, '../../..');
const MOST_BYTES = 4096;
/** Set-up that wrote nothing for this time was killed. */
const STALE_MS = 20_000;

export type ConsoleState = { doing: string } | { failed: string } | undefined;

/** Undefined: set-up does not work on it. */
export function consoleState(root: string, now: number): ConsoleState {
  try {
    const file = join(root, STATE_FILE);
    const { size, mtimeMs } = statSync(file);
    if (size > MOST_BYTES) return undefined;
    const { doing, failed } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (typeof failed === 'string') return { failed };
    return typeof doing === 'string' && now - mtimeMs < STALE_MS ? { doing } : undefined;
  } catch {
    return undefined;
  }
}

/** For the banner of a start: empty if the console is there, though it may be of older sources. */
export function missingConsole(root = ROOT, clock = systemClock): string {
  if (buildIn(root) !== undefined) return '';
  const state = consoleState(root, clock.now());
  return state !== undefined && 'doing' in state ? ' (is being built)' : ` (not built: ${COMMAND})`;
}

const OFTEN_S = 2;
/** The command can be read and copied meanwhile. */
const SELDOM_S = 30;

const isWorking = (state: ConsoleState): boolean => state !== undefined && 'doing' in state;

const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

function textOf(state: ConsoleState): string {
  if (state !== undefined && 'doing' in state) return `<p>It is being built: ${escaped(state.doing)}.</p>`;
  const why = state === undefined ? '' : `<p>The last attempt failed:</p><pre>${escaped(state.failed)}</pre>`;
  return `<p>It is not built. Run this in the folder of the service:</p><pre>${COMMAND}</pre>${why}`;
}

const pageOf = (state: ConsoleState): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta http-equiv="refresh" content="${isWorking(state) ? OFTEN_S : SELDOM_S}" />
    <title>Countersign</title>
  </head>
  <body>
    <h1>Countersign</h1>
    <p>The service runs. This page shows its console as soon as that is there.</p>
    ${textOf(state)}
    <p><a href="/docs">The documents</a></p>
  </body>
</html>
`;

/** Answers 503, so that no program takes the page for the console. */
export const waiting =
  (root: string, clock: Clock): Read =>
  (_request, response) => {
    const body = Buffer.from(pageOf(consoleState(root, clock.now())));
    const headers = { ...WAITING_HEADERS, 'content-type': 'text/html; charset=utf-8', 'retry-after': '2' };
    response.writeHead(503, { ...headers, 'content-length': body.length }).end(body);
  };
