/** What was seen of test files while they ran. */
import { inspect } from 'node:util';
import { shown } from './choose.ts';
import { withoutWhole } from './processor-time.ts';
import type { TestsStream } from './shared.ts';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Of one file. */
export interface Result extends Counts {
  readonly file: string;
  /** Why tests were skipped: one for each. */
  readonly reasons: readonly string[];
}

interface Seen extends Counts {
  /** Names of the tests that the last one was in, and its own. */
  path: string[];
  output: string;
  failures: string[];
  reasons: string[];
  reported: boolean;
  /** Groups of tests that were skipped as a whole. Their tests are in no count of the runner. */
  groups: number;
  /** The file itself is counted as a failure, beside its tests. */
  counted: boolean;
}

const LAST_OUTPUT = 20_000;

export const indent = (text: string): string => text.trimEnd().replace(/^(?=.)/gm, '    ');

/** What a test threw, without the runner's wrapping. */
function thrown(error: Error | undefined): string {
  const cause = error && 'cause' in error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? inspect(cause, { depth: 8 }) : String(cause);
}

export class Report {
  readonly #root: string;
  readonly #say: (line: string) => void;
  readonly #seen = new Map<string, Seen>();

  constructor(root: string, say: (line: string) => void) {
    this.#root = root;
    this.#say = say;
  }

  shown(file: string): string {
    return shown(this.#root, file);
  }

  /** Nothing that was seen of it counts: it is run again. */
  forget(file: string): void {
    this.#seen.delete(file);
  }

  hasFailed(file: string): boolean {
    const { failures, failed } = this.#of(file);
    return failures.length > 0 || failed > 0;
  }

  fail(file: string, failure: string): void {
    this.#of(file).failures.push(failure);
  }

  listen(stream: TestsStream): void {
    stream.on('test:start', ({ file, nesting, name }) => {
      if (file) this.#name(file, nesting, name);
    });
    const keep = (file: string | undefined, message: string) => {
      if (file) this.#of(file).output = `${this.#of(file).output}${message}`.slice(-LAST_OUTPUT);
    };
    stream.on('test:stdout', ({ file, message }) => keep(file, withoutWhole(message)));
    stream.on('test:stderr', ({ file, message }) => keep(file, message));
    stream.on('test:diagnostic', ({ file, message, level }) => {
      if (level !== 'info' || message.startsWith('Error:')) keep(file, `${message}\n`);
    });
    stream.on('test:fail', ({ file = '', nesting, name, details, todo }) => {
      const error = details.error as (Error & { failureType?: string }) | undefined;
      if (todo !== undefined || error?.failureType === 'subtestsFailed') return;
      this.fail(file, `✗ ${name === file ? 'the file' : this.#name(file, nesting, name)}\n${indent(thrown(error))}`);
    });
    stream.on('test:pass', ({ file = '', nesting, name, details, skip, todo }) => {
      const seen = this.#of(file);
      const { reasons } = seen;
      if (details.type === 'suite') {
        if (skip === undefined) return;
        seen.groups += 1;
      }
      if (todo !== undefined) reasons.push(`to do${todo === true ? '' : `, ${todo}`}`);
      else if (typeof skip === 'string' && skip !== '') reasons.push(skip);
      else if (skip !== undefined) this.fail(file, `✗ ${this.#name(file, nesting, name)}: skipped without a reason`);
    });
    stream.on('test:summary', ({ file, counts, success, duration_ms }) => {
      if (file !== undefined) this.#summary(file, counts, success, duration_ms);
    });
  }

  /** When all have ended. `stopped`: those that have not are left out, unless they failed. */
  results(files: readonly string[], stopped: boolean): Result[] {
    const ended = files.filter((file) => !stopped || this.#of(file).reported || this.#of(file).failures.length > 0);
    return ended.map((file) => {
      this.#ended(file);
      const { passed, failed, skipped, reasons } = this.#of(file);
      return { file: this.shown(file), passed, failed, skipped, reasons };
    });
  }

  #of(file: string): Seen {
    let seen = this.#seen.get(file);
    if (seen === undefined) {
      const none = { passed: 0, failed: 0, skipped: 0, groups: 0, reported: false, counted: false };
      seen = { ...none, path: [], output: '', failures: [], reasons: [] };
      this.#seen.set(file, seen);
    }
    return seen;
  }

  #name(file: string, nesting: number, name: string): string {
    const { path } = this.#of(file);
    path.length = nesting;
    path.push(name);
    return path.join(' › ');
  }

  #summary(
    file: string,
    counts: { tests: number; passed: number; skipped: number; todo: number },
    success: boolean,
    milliseconds: number,
  ): void {
    const seen = this.#of(file);
    seen.reported = true;
    seen.passed = counts.passed;
    seen.failed = counts.tests - counts.passed - counts.skipped - counts.todo;
    // Tests that are still to do are not done: they count as skipped.
    seen.skipped = counts.skipped + counts.todo + seen.groups;
    if (counts.tests === 0 && seen.groups === 0) this.fail(file, '✗ the file has no tests');
    const isGood = success && seen.failures.length === 0;
    if (!isGood && seen.failed === 0) {
      seen.failed = 1;
      seen.counted = true;
    }
    this.#say(`${isGood ? 'ok  ' : 'FAIL'} ${this.shown(file)} (${counts.tests} tests, ${Math.round(milliseconds)} ms)`);
    this.#flush(file);
  }

  #ended(file: string): void {
    const seen = this.#of(file);
    if (!seen.reported) {
      // It broke while loading, or its process ended before the tests did.
      seen.failed += 1;
      this.#say(`FAIL ${this.shown(file)}`);
      if (seen.failures.length === 0) this.fail(file, '✗ the process ended before it ran its tests');
    } else if (seen.failures.length > 0) {
      // All its tests passed, but the process failed: a crash, or a promise that was not awaited.
      if (!seen.counted) seen.failed += 1;
      this.#say(`FAIL ${this.shown(file)}, after its tests`);
    }
    this.#flush(file);
  }

  #flush(file: string): void {
    const { failures, output } = this.#of(file);
    for (const failure of failures) this.#say(indent(failure));
    if (failures.length > 0 && output.trim()) this.#say(indent(`output:\n${output}`));
    failures.length = 0;
  }
}
