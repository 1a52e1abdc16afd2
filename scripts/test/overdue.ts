import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';

/** How long a file that was asked to end has for it, as a part of its whole time. */
const GRACE = 1 / 60;

/** How long a process of test files has to end, if the run is told to. */
const STOP_MS = 5_000;

const children = new Set<ChildProcess>();
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  children.add(child);
  child.once('exit', () => children.delete(child));
});

/**
 * Ends the processes of test files that take too long. A process that never yields to the event loop does not hear SIGTERM, so that SIGKILL
 * follows. The runner of Node.js would go on beside such a process, and wait for it in the end.
 */
export class Overdue {
  readonly #milliseconds: number;
  readonly #killed = new Set<string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #tell: (file: string, failure: string) => void;

  constructor(milliseconds: number, tell: (file: string, failure: string) => void) {
    this.#milliseconds = milliseconds;
    this.#tell = tell;
  }

  /** When Node's own runner stops waiting: for output that a process which a killed file left behind still holds. */
  get lastMs(): number {
    return Math.ceil(this.#milliseconds * (1 + 4 * GRACE)) + 1000;
  }

  began(file: string): void {
    this.#after(file, this.#milliseconds, () => {
      this.#tell(file, `it ran longer than ${this.#milliseconds / 1000} s, and is stopped with SIGTERM`);
      this.#kill(file, 'SIGTERM');
      this.#after(file, this.#milliseconds * GRACE, () => {
        this.#tell(file, 'it ignored SIGTERM, and is stopped with SIGKILL');
        this.#kill(file, 'SIGKILL');
      });
    });
  }

  ended(file: string): void {
    clearTimeout(this.#timers.get(file));
    this.#timers.delete(file);
  }

  /** The run is told to end: the runner of Node.js has sent SIGTERM. Processes that ignore it would keep this one. */
  stop(): void {
    for (const file of [...this.#timers.keys()]) {
      this.ended(file);
      setTimeout(() => this.#kill(file, 'SIGKILL'), STOP_MS);
    }
  }

  /** Whether a file took too long. */
  hasEnded(file: string): boolean {
    return this.#killed.has(file);
  }

  #after(file: string, milliseconds: number, then: () => void): void {
    this.#timers.set(file, setTimeout(then, milliseconds));
  }

  #kill(file: string, signal: NodeJS.Signals): void {
    this.#killed.add(file);
    for (const child of children) if (child.spawnargs.includes(file)) child.kill(signal);
  }
}
