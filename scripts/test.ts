/**
 * `npm test`: the check, the generated files, every test on SQLite, and the tests that touch the store again on a real
 * PostgreSQL. The last line is always `N passed, N failed`, with `, N skipped` if there were any.
 *
 *   --only SUBSTRING          only test files whose path contains it, without the check
 *   --engine sqlite|postgres  one engine only
 *   --seed N|random           seed of the property tests: the same every time, unless given
 *   --timeout SECONDS         how long a file may take: 900, unless given
 *
 * TEST_DATABASE_URL names a PostgreSQL server (as superuser) to use instead of starting one.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { run } from 'node:test';
import { inspect, parseArgs } from 'node:util';
import { startPostgres } from '../tests/support/postgres.ts';
import { ensureChromium } from './test/chromium.ts';
import { inOrder, isOnBothEngines } from './test/files.ts';
import { Overdue } from './test/overdue.ts';
import { Skips } from './test/skips.ts';
import { ownTemporaryFolder } from './test/temporary-folder.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FILE_TIMEOUT_S = 900;
const PROGRESS_MS = 20_000;

type Engine = 'sqlite' | 'postgres';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const stopped = new AbortController();
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
const say = (line: string) => process.stdout.write(`${line}\n`);
const indent = (text: string) => text.trimEnd().replace(/^(?=.)/gm, '    ');

/** A program that counts as one test. */
function program(name: string, args: readonly string[]): void {
  const started = performance.now();
  const done = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const took = `${Math.round(performance.now() - started)} ms`;
  if (done.status === 0) total.passed += 1;
  else total.failed += 1;
  say(`${done.status === 0 ? 'ok  ' : 'FAIL'} ${name} (${took})`);
  if (done.status !== 0) say(indent(`${done.stdout ?? ''}${done.stderr ?? ''}${done.error ? String(done.error) : ''}`));
}

/** What a test threw, without the runner's wrapping. */
function thrown(error: Error | undefined): string {
  const cause = error && 'cause' in error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? inspect(cause, { depth: 8 }) : String(cause);
}

/** Runs test files in processes of their own, two at a time. */
async function testFiles(files: readonly string[], engine: Engine, timeoutMs: number): Promise<void> {
  say(`\n${files.length} test files on ${engine}`);
  const started = performance.now();
  const absolute = files.map((file) => join(ROOT, file));
  const path = new Map<string, string[]>();
  const output = new Map<string, string>();
  const failures = new Map<string, string[]>();
  const skips = new Skips();
  const reported = new Set<string>();
  const counted = new Set<string>();
  const shown = (file: string) => relative(ROOT, file).split(sep).join('/');
  const keep = (file: string | undefined, message: string) => {
    if (file) output.set(file, `${output.get(file) ?? ''}${message}`.slice(-20_000));
  };
  const names = (file: string, nesting: number, name: string) => {
    const all = path.get(file) ?? [];
    all.length = nesting;
    all.push(name);
    path.set(file, all);
    return all.join(' › ');
  };
  const fail = (file: string, failure: string) => failures.set(file, [...(failures.get(file) ?? []), failure]);
  const flush = (file: string) => {
    for (const failure of failures.get(file) ?? []) say(indent(failure));
    if (failures.has(file) && output.get(file)?.trim()) say(indent(`output:\n${output.get(file)}`));
    failures.delete(file);
  };

  const overdue = new Overdue(timeoutMs, (file, failure) => {
    say(`...  ${shown(file)}: ${failure}`);
    fail(file, `✗ ${failure}`);
  });
  const stream = run({ cwd: ROOT, files: absolute, concurrency: 2, timeout: overdue.lastMs, signal: stopped.signal });
  const running = new Map<string, number>();
  stream.on('test:dequeue', ({ file, name }) => {
    if (!file || name !== file) return;
    running.set(file, performance.now());
    overdue.began(file);
  });
  stream.on('test:complete', ({ file, name }) => {
    if (!file || name !== file) return;
    running.delete(file);
    overdue.ended(file);
  });
  const progress = setInterval(() => {
    for (const [file, since] of running) {
      const seconds = Math.round((performance.now() - since) / 1000);
      if (seconds * 1000 >= PROGRESS_MS) say(`...  ${shown(file)} (${seconds} s so far)`);
    }
  }, PROGRESS_MS);
  stream.on('test:start', ({ file, nesting, name }) => {
    if (file) names(file, nesting, name);
  });
  stream.on('test:stdout', ({ file, message }) => keep(file, message));
  stream.on('test:stderr', ({ file, message }) => keep(file, message));
  stream.on('test:diagnostic', ({ file, message, level }) => {
    if (level !== 'info' || message.startsWith('Error:')) keep(file, `${message}\n`);
  });
  stream.on('test:fail', ({ file = '', nesting, name, details, todo }) => {
    const error = details.error as (Error & { failureType?: string }) | undefined;
    if (todo !== undefined || error?.failureType === 'subtestsFailed') return;
    fail(file, `✗ ${name === file ? 'the file' : names(file, nesting, name)}\n${indent(thrown(error))}`);
  });
  stream.on('test:pass', ({ file = '', nesting, name, details, skip, todo }) => {
    if (details.type === 'suite') return;
    if (todo !== undefined) skips.add(shown(file), `to do${todo === true ? '' : `, ${todo}`}`);
    else if (typeof skip === 'string' && skip !== '') skips.add(shown(file), skip);
    else if (skip !== undefined) fail(file, `✗ ${names(file, nesting, name)}: skipped, and does not say why`);
  });
  const sum: Counts = { passed: 0, failed: 0, skipped: 0 };
  stream.on('test:summary', ({ file, counts, success, duration_ms }) => {
    if (file === undefined) return;
    reported.add(file);
    const failed = counts.tests - counts.passed - counts.skipped - counts.todo;
    sum.passed += counts.passed;
    sum.failed += failed;
    // Tests that are still to do are not done: they count as skipped.
    sum.skipped += counts.skipped + counts.todo;
    if (counts.tests === 0) fail(file, '✗ the file has no tests');
    if (failed === 0 && (!success || failures.has(file))) {
      sum.failed += 1;
      counted.add(file);
    }
    say(
      `${success && !failures.has(file) ? 'ok  ' : 'FAIL'} ${shown(file)} (${counts.tests} tests, ${Math.round(duration_ms)} ms)`,
    );
    flush(file);
  });
  stream.resume();
  await new Promise<void>((done, broken) => stream.once('end', done).once('error', broken));
  clearInterval(progress);
  for (const file of absolute) {
    if (!reported.has(file)) {
      // It broke while loading, or its process ended before the tests did.
      sum.failed += 1;
      say(`FAIL ${shown(file)}`);
      if (!failures.has(file)) fail(file, '✗ the process ended without having run its tests');
    } else if (failures.has(file)) {
      // All its tests passed, but the process failed: a crash, or a promise that nobody awaited.
      if (!counted.has(file)) sum.failed += 1;
      say(`FAIL ${shown(file)}, after its tests`);
    }
    flush(file);
  }
  total.passed += sum.passed;
  total.failed += sum.failed;
  total.skipped += sum.skipped;
  for (const line of skips.lines()) say(line);
  say(`${engine}: ${sum.passed} passed, ${sum.failed} failed (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}

async function onPostgres(
  files: readonly string[],
  timeoutMs: number,
  given: string | undefined,
  required: boolean,
): Promise<void> {
  if (given) {
    process.env.TEST_DATABASE_URL = given;
    return testFiles(files, 'postgres', timeoutMs);
  }
  const server = await startPostgres({ fsync: 'off' });
  if ('unavailable' in server) {
    if (required) total.failed += 1;
    else total.skipped += 1;
    say(`\n${required ? 'FAIL' : 'skip'} ${files.length} test files on postgres: no PostgreSQL\n${indent(server.unavailable)}`);
    return;
  }
  try {
    process.env.TEST_DATABASE_URL = server.url;
    await testFiles(files, 'postgres', timeoutMs);
  } finally {
    await server.stop();
  }
}

type Options = { only: string | undefined; engine: Engine | undefined; seed: number; timeoutMs: number };

function options(): Options {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, engine: { type: 'string' }, seed: { type: 'string' }, timeout: { type: 'string' } },
  });
  const { only, engine } = values;
  if (engine !== undefined && engine !== 'sqlite' && engine !== 'postgres')
    throw new Error(`--engine is sqlite or postgres, not ${engine}`);
  const seed = values.seed === 'random' ? randomInt(2 ** 31) : Number(values.seed ?? 1);
  if (!Number.isInteger(seed) || Math.abs(seed) >= 2 ** 31)
    throw new Error(`--seed is a 32-bit integer or random, not ${values.seed}`);
  const timeoutMs = Number(values.timeout ?? FILE_TIMEOUT_S) * 1000;
  if (!(timeoutMs > 0)) throw new Error(`--timeout is a number of seconds, not ${values.timeout}`);
  return { only, engine, seed, timeoutMs };
}

async function main(): Promise<void> {
  const { only, engine, seed, timeoutMs } = options();
  process.env.TEST_SEED = String(seed);
  say(`property tests draw from seed ${seed}`);
  const given = process.env.TEST_DATABASE_URL || undefined;
  delete process.env.TEST_DATABASE_URL;
  if (only === undefined) {
    program('check', ['scripts/check.ts']);
    if (existsSync(join(ROOT, 'scripts/generate.ts')))
      program('generated files are up to date', ['scripts/generate.ts', '--check']);
  }
  const found = globSync('tests/**/*.test.ts', { cwd: ROOT })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !file.includes('/node_modules/') && (only === undefined || file.includes(only)));
  const files = inOrder(found);
  if (files.some((file) => file.startsWith('tests/browser/'))) ensureChromium(say);
  if (engine !== 'postgres' && files.length > 0) await testFiles(files, 'sqlite', timeoutMs);
  const again = files.filter(isOnBothEngines);
  if (engine !== 'sqlite' && again.length > 0 && !stopped.signal.aborted) {
    await onPostgres(again, timeoutMs, given, engine === 'postgres' || Boolean(process.env.CI));
  }
}

// Not once: a terminal's Ctrl-C arrives twice, from the terminal and from `npm test`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopped.signal.aborted) return;
    say(`\nstopped by ${signal}`);
    total.failed += 1;
    stopped.abort();
  });
}
const temporary = ownTemporaryFolder();
try {
  await main();
  const left = temporary.leftovers();
  if (left.length > 0) say(`\n${total.failed > 0 ? 'note' : 'FAIL'} the tests left in the temporary folder: ${left.join(', ')}`);
  // A test that failed may have left its folder, and is counted already.
  if (left.length > 0 && total.failed === 0) total.failed += 1;
} catch (error) {
  say(inspect(error));
  total.failed += 1;
} finally {
  temporary.remove();
}
const { passed, failed, skipped } = total;
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
say(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
