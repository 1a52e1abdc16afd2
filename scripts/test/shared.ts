/** A process that several test files share. Its events become those of files in processes of their own. */
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { run } from 'node:test';
import { shown } from './choose.ts';

export type TestsStream = ReturnType<typeof run>;

type Event = {
  readonly name: string;
  readonly nesting: number;
  readonly message: string;
  readonly skip?: unknown;
  readonly todo?: unknown;
  readonly details?: { readonly type?: string; readonly duration_ms?: number; readonly error?: Error & { failureType?: string } };
};

/** The program that such a process runs. Its files are its arguments. */
export const shareProgram = (root: string): string => join(root, 'scripts/test/share.ts');

/** Loaded first in a process of one file. */
export const quickProgram = (root: string): string => join(root, 'scripts/test/quick.ts');

const noCounts = () => ({ tests: 0, passed: 0, skipped: 0, todo: 0 });

/** Each file is a test of the first level, and its tests are below. */
export class Shared {
  /** Tells of files, as the runner of Node.js does of those in processes of their own. */
  readonly events = new EventEmitter() as unknown as TestsStream;
  readonly #root: string;
  readonly #files: readonly string[];
  readonly #unfinished: Set<string>;
  #current: string;
  #counts = noCounts();
  #death: string | undefined;
  #hasTold = false;

  constructor(root: string, files: readonly string[], stream: TestsStream) {
    this.#root = root;
    this.#files = files;
    this.#unfinished = new Set(files);
    this.#current = files[0]!;
    const on = (name: string, listener: (event: Event) => void) => (stream as unknown as EventEmitter).on(name, listener);
    on('test:dequeue', (event) => this.#isFile(event) && this.#begin(event.name));
    for (const name of ['test:start', 'test:pass', 'test:fail'])
      on(name, (event) => {
        if (event.nesting > 0) this.#test(name, event);
        else if (this.#isFile(event) && name !== 'test:start') this.#end(event);
        else if (name === 'test:fail') this.#died(event.details?.error);
      });
    for (const name of ['test:stdout', 'test:stderr']) on(name, (event) => this.#emit(name, event));
    on('test:diagnostic', (event) => event.message.startsWith('Error:') && this.#late(event));
    stream.once('end', () => this.#emit('test:complete', { name: this.#current }));
  }

  /** Once it ended: files that it left undone. */
  unfinished(): string[] {
    return [...this.#unfinished];
  }

  /** How it ended before its files. */
  death(): string | undefined {
    return this.#unfinished.size > 0 ? (this.#death ?? 'it ended without an error') : undefined;
  }

  #isFile = ({ nesting, name }: Event) => nesting === 0 && name.endsWith('.test.ts');

  #emit(name: string, event: object, file: string = this.#current): void {
    (this.events as unknown as EventEmitter).emit(name, { ...event, file });
  }

  #begin(file: string): void {
    // The last file's time goes on until the process has ended.
    if (file !== this.#current) this.#emit('test:complete', { name: this.#current });
    this.#current = file;
    this.#counts = noCounts();
    this.#emit('test:dequeue', { name: file });
  }

  #test(name: string, event: Event): void {
    this.#emit(name, { ...event, nesting: event.nesting - 1 });
    if (name === 'test:start' || event.details?.type === 'suite') return;
    this.#counts.tests += 1;
    if (event.todo !== undefined) this.#counts.todo += 1;
    else if (event.skip !== undefined) this.#counts.skipped += 1;
    else if (name === 'test:pass') this.#counts.passed += 1;
  }

  #end(event: Event): void {
    const { error, duration_ms } = event.details ?? {};
    this.#unfinished.delete(this.#current);
    if (error !== undefined) this.#emit('test:fail', event);
    this.#emit('test:summary', { counts: this.#counts, success: error === undefined, duration_ms });
  }

  /** What a test began went wrong after it: it is named when all files have ended. */
  #late({ message }: Event): void {
    const file = this.#files.find((path) => message.includes(` at ${shown(this.#root, path)}:`)) ?? this.#current;
    this.#hasTold = true;
    const error = Object.assign(new Error(message), { stack: message });
    this.#emit('test:fail', { name: file, nesting: 0, details: { error } }, file);
  }

  #died(error: (Error & { failureType?: string }) | undefined): void {
    this.#death = error?.message;
    if (this.#unfinished.size > 0 || this.#hasTold || error?.failureType === 'subtestsFailed') return;
    this.#emit('test:fail', { name: this.#current, nesting: 0, details: { error } });
  }
}
