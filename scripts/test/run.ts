/** Runs test files on one engine, and what failed once more if that is asked for. */
import { join } from 'node:path';
import { run } from 'node:test';
import { Overdue } from './overdue.ts';
import { type Counts, Report, type Result } from './report.ts';
import { Skips } from './skips.ts';

const PROGRESS_MS = 20_000;
const AT_ONCE = 2;
/** More that failed are no flakes. */
const MOST_AGAIN = 10;

export interface How {
  readonly root: string;
  readonly timeoutMs: number;
  /** Whether files that failed are run a second time. */
  readonly again: boolean;
  readonly signal: AbortSignal;
  say(line: string): void;
}

export interface Outcome extends Counts {
  /** A line for each file that failed and passed then. */
  readonly flaky: readonly string[];
}

/** In processes of their own. */
async function runOnce(files: readonly string[], concurrency: number, how: How): Promise<Result[]> {
  const { root, timeoutMs, signal, say } = how;
  const absolute = files.map((file) => join(root, file));
  const report = new Report(root, say);
  const overdue = new Overdue(timeoutMs, (file, failure) => {
    say(`...  ${report.shown(file)}: ${failure}`);
    report.fail(file, `✗ ${failure}`);
  });
  const stream = run({ cwd: root, files: absolute, concurrency, timeout: overdue.lastMs, signal });
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
      if (seconds * 1000 >= PROGRESS_MS) say(`...  ${report.shown(file)} (${seconds} s so far)`);
    }
  }, PROGRESS_MS);
  report.listen(stream);
  stream.resume();
  await new Promise<void>((done, broken) => stream.once('end', done).once('error', broken));
  clearInterval(progress);
  return report.results(absolute);
}

/** The files that failed, one at a time and nothing beside them. Gives what was seen the second time. */
async function runAgain(first: readonly Result[], how: How): Promise<Result[]> {
  const failed = first.filter((result) => result.failed > 0).map(({ file }) => file);
  if (!how.again || failed.length === 0 || how.signal.aborted) return [];
  if (failed.length > MOST_AGAIN) {
    how.say(`${failed.length} files failed: more than ${MOST_AGAIN}, so that none is run again`);
    return [];
  }
  how.say(`\nonce more, one at a time: ${failed.length} test file${failed.length === 1 ? '' : 's'} that failed`);
  return runOnce(failed, 1, how);
}

export async function testFiles(files: readonly string[], engine: string, how: How): Promise<Outcome> {
  how.say(`\n${files.length} test files on ${engine}`);
  const started = performance.now();
  const first = await runOnce(files, AT_ONCE, how);
  const firstOf = new Map(first.map((result) => [result.file, result]));
  const repeated = await runAgain(first, how);
  // One that skips what failed has not passed.
  const counting = repeated.filter(
    ({ file, failed, passed, skipped }) => failed > 0 || (passed > 0 && skipped <= firstOf.get(file)!.skipped),
  );
  const second = new Map(counting.map((result) => [result.file, result]));
  const results = first.map((result) => second.get(result.file) ?? result);
  const skips = new Skips();
  for (const { file, reasons } of results) for (const reason of reasons) skips.add(file, reason);
  const flaky = [...second.values()]
    .filter(({ failed }) => failed === 0)
    .map(({ file }) => `flaky ${file}: failed, and passed alone the second time (${engine})`);
  const sum = (of: (result: Result) => number) => results.reduce((all, result) => all + of(result), 0);
  const counts = { passed: sum((of) => of.passed), failed: sum((of) => of.failed), skipped: sum((of) => of.skipped) };
  for (const line of [...skips.lines(), ...flaky]) how.say(line);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  how.say(`${engine}: ${counts.passed} passed, ${counts.failed} failed (${seconds} s)`);
  return { ...counts, flaky };
}
