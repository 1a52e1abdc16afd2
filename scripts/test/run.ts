/** Runs test files on one engine. If asked, it runs failed files once more. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { inOwnProcess } from './files.ts';
import { Imports } from './imports.ts';
import { Overdue } from './overdue.ts';
import { charge, readCost, readWhole } from './processor-time.ts';
import { type Progress, progressOf } from './progress.ts';
import { type Counts, indent, Report, type Result } from './report.ts';
import { quickProgram, Shared, shareProgram } from './shared.ts';
import { byProcess } from './sharing.ts';
import { Skips } from './skips.ts';

/** One more than cores, because some processes wait for the disk, a server or a timer. */
const AT_ONCE = availableParallelism() + 1;
/** More failures than this are no flakes. */
const MOST_AGAIN = 10;

export interface How {
  readonly root: string;
  readonly engine: string;
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

/** A shared process ended before its files did. `left`: the files that it had not finished; each is run again alone. */
type Death = { readonly left: readonly string[]; readonly text: string };

/** Reports on files, bounds their time and shows progress. */
interface Watch {
  readonly report: Report;
  readonly overdue: Overdue;
  readonly progress: Progress;
}

/** Runs files in one process. Gives its death, if it ended before them. */
async function runProcess(files: readonly string[], watch: Watch, how: How): Promise<Death | undefined> {
  const { report, overdue, progress } = watch;
  const [one, ...more] = files;
  // Node.js waits for one process here, and each file of it has its time.
  const timeout = overdue.lastMs * files.length;
  const options = { cwd: how.root, concurrency: 1, timeout, signal: how.signal };
  const stream =
    more.length === 0
      ? run({ ...options, files: [one!], execArgv: ['--import', quickProgram(how.root)] })
      : run({ ...options, files: [shareProgram(how.root)], argv: [...files] });
  const shared = more.length === 0 ? undefined : new Shared(how.root, files, stream);
  const events = shared?.events ?? stream;
  events.on('test:dequeue', ({ file, name }) => {
    if (!file || name !== file) return;
    progress.began(report.shown(file));
    overdue.began(file);
  });
  events.on('test:complete', ({ file, name }) => {
    if (!file || name !== file) return;
    progress.ended(report.shown(file));
    overdue.ended(file);
  });
  report.listen(events);
  const costs: { what: string; seconds: number }[] = [];
  const named = (file: string) => report.shown(file) + (how.engine === 'sqlite' ? '' : ` on ${how.engine}`);
  stream.on('test:diagnostic', ({ message }) => {
    const cost = readCost(message);
    if (cost !== undefined) costs.push({ what: named(cost.file), seconds: cost.seconds });
  });
  let whole: number | undefined;
  stream.on('test:stdout', ({ message }) => {
    whole = readWhole(message) ?? whole;
  });
  stream.resume();
  await new Promise<void>((done, broken) => stream.once('end', done).once('error', broken));
  charge(more.length === 0 ? named(one!) : `the process of ${named(one!)} and ${more.length} more`, costs, whole);
  const text = shared?.death();
  return text === undefined || how.signal.aborted ? undefined : { left: shared!.unfinished(), text };
}

/** Each element of `processes` in a process of its own, `atOnce` of them at a time. */
async function runOnce(processes: readonly (readonly string[])[], atOnce: number, how: How): Promise<Result[]> {
  const { root, timeoutMs, signal, say } = how;
  const waiting = processes.map((files) => files.map((file) => join(root, file)));
  const all = waiting.flat();
  const report = new Report(root, say);
  const overdue = new Overdue(timeoutMs, (file, failure) => {
    say(`...  ${report.shown(file)}: ${failure}`);
    report.fail(file, `✗ ${failure}`);
  });
  const progress = progressOf(all.length, say);
  const tell = () => {
    overdue.stop();
    say(`stopped: ${progress.summary()}`);
  };
  signal.addEventListener('abort', tell);
  const deaths: Death[] = [];
  const work = async () => {
    for (let files = waiting.shift(); files !== undefined && !signal.aborted; files = waiting.shift()) {
      const death = await runProcess(files, { report, overdue, progress }, how);
      if (death === undefined) continue;
      // One that took too long has failed, and ended the process.
      const left = death.left.filter((file) => !overdue.hasEnded(file));
      say(
        `...  a process of ${files.length} files ended before ${death.left.length} of them: ${left.length} run again, each alone`,
      );
      for (const file of left) report.forget(file);
      if (left.length === death.left.length) deaths.push(death);
      waiting.unshift(...left.map((file) => [file]));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  progress.stop();
  signal.removeEventListener('abort', tell);
  for (const { left, text } of deaths) {
    if (left.some((file) => report.hasFailed(file))) continue;
    report.fail(left[0]!, `✗ it, or a file before it, ended their shared process; it passed alone\n${indent(text)}`);
  }
  return report.results(all, signal.aborted);
}

/** The files that failed, one at a time and nothing beside them. Gives what was seen the second time. */
async function runAgain(first: readonly Result[], how: How): Promise<Result[]> {
  const failed = first.filter((result) => result.failed > 0).map(({ file }) => file);
  if (!how.again || failed.length === 0 || how.signal.aborted) return [];
  if (failed.length > MOST_AGAIN) {
    how.say(`${failed.length} files failed: more than ${MOST_AGAIN}, so none is run again`);
    return [];
  }
  how.say(`\nonce more, one at a time: ${failed.length} test file${failed.length === 1 ? '' : 's'} that failed`);
  return runOnce(
    failed.map((file) => [file]),
    1,
    how,
  );
}

export async function testFiles(files: readonly string[], how: How): Promise<Outcome> {
  const { engine } = how;
  const imports = new Imports(how.root);
  const processes = byProcess(files, imports, inOwnProcess);
  how.say(
    `\n${files.length} test files on ${engine}, in ${processes.length} process${processes.length === 1 ? '' : 'es'}, ${AT_ONCE} at a time`,
  );
  const started = performance.now();
  const first = await runOnce(processes, AT_ONCE, how);
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
