import { setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import type { Conn } from '../statement.ts';
import { isLocked, PAUSE_MS, TRIES } from './sqlite-locks.ts';
import type { Mark } from './sqlite-mark.ts';

/** Maximum number of activities per COMMIT. It bounds the latency of the first activity in the batch. */
const GROUP = 128;

/** How long a commit waits for the next request that could share it. A lone request does not wait. */
const NEXT_MS = 2;

/** How long it waits for all of them. The thread prepares them meanwhile. */
const GATHER_MS = 16;

/** Groups with savepoints after a job that failed with writes of its own. So such jobs cannot have every group run twice. */
const CAREFUL = 32;

type Job = {
  work: (conn: Conn) => unknown;
  atomic: boolean;
  /** Shares no commit, and runs once. */
  alone: boolean;
  /** Set while the job waits to share a commit. */
  timer?: NodeJS.Timeout;
  /** How often this job met the lock of another program. */
  met?: number;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
};

/** Runs jobs on the writer one at a time. Many jobs share one durable COMMIT, and no job resolves before it. */
export class GroupCommit {
  readonly #writer: Database.Database;
  readonly #conn: Conn;
  readonly #mark: Mark;
  readonly #onTheirWay: () => number;
  readonly #endReads: () => void;
  readonly #explained: (error: unknown) => unknown;
  readonly #sql: Record<'begin' | 'commit' | 'rollback' | 'savepoint' | 'release' | 'undo' | 'changes', Database.Statement>;
  #queue: Job[] = [];
  /** Jobs that can wait. They take part in the next commit. */
  #patient: Job[] = [];
  #draining = false;
  /** Groups that still run with savepoints. */
  #careful = 0;
  #arrived: (() => void) | undefined;
  #isRunning = false;

  /**
   * `onTheirWay`: the number of requests that may bring a job soon. `endReads`: ends the look-ups that share a state of the database.
   * `explained`: explains a disk failure.
   */
  constructor(
    writer: Database.Database,
    conn: Conn,
    mark: Mark,
    onTheirWay: () => number,
    endReads: () => void,
    explained: (error: unknown) => unknown,
  ) {
    this.#writer = writer;
    this.#conn = conn;
    this.#mark = mark;
    this.#onTheirWay = onTheirWay;
    this.#endReads = endReads;
    this.#explained = explained;
    this.#sql = {
      begin: writer.prepare('BEGIN IMMEDIATE'),
      commit: writer.prepare('COMMIT'),
      rollback: writer.prepare('ROLLBACK'),
      savepoint: writer.prepare('SAVEPOINT activity'),
      release: writer.prepare('RELEASE activity'),
      undo: writer.prepare('ROLLBACK TO activity'),
      changes: writer.prepare('SELECT total_changes()').pluck(),
    };
  }

  /**
   * `atomic`: the job fails alone, and may run again if another one fails. Otherwise its failure fails the group. `patienceMs`: how long
   * the job waits for other jobs, so that it needs no separate commit. `alone`: it shares no commit, and runs once.
   */
  run<T>(work: (conn: Conn) => unknown, atomic: boolean, { patienceMs = 0, alone = false } = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job: Job = { work, atomic, alone, resolve: resolve as (value: unknown) => void, reject };
      if (patienceMs > 0) {
        job.timer = setTimeout(() => this.#hurry(), patienceMs);
        this.#patient.push(job);
        return;
      }
      this.#queue.push(job);
      this.#arrived?.();
      this.#begin();
    });
  }

  /** Whether a group has a transaction. A disk failure may end that before its group knows. */
  isRunning(): boolean {
    return this.#isRunning;
  }

  /** Resolves when no job is left. */
  async idle(): Promise<void> {
    this.#hurry();
    while (this.#draining) await new Promise((resolve) => setImmediate(resolve));
  }

  #begin(): void {
    if (this.#draining) return;
    this.#draining = true;
    setImmediate(() => void this.#drain());
  }

  #hurry(): void {
    this.#queue.unshift(...this.#takePatient());
    this.#begin();
  }

  #takePatient(): Job[] {
    for (const { timer } of this.#patient) clearTimeout(timer);
    return this.#patient.splice(0);
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      this.#queue.unshift(...this.#takePatient());
      if (!this.#begun()) {
        await pause(PAUSE_MS);
        continue;
      }
      const jobs = this.#next();
      try {
        await this.#group(jobs);
      } catch (error) {
        this.#failed(jobs, error);
      }
    }
    this.#draining = false;
  }

  #next(): Job[] {
    const alone = this.#queue.slice(0, GROUP).findIndex((job) => job.alone);
    return this.#queue.splice(0, alone < 0 ? GROUP : Math.max(alone, 1));
  }

  /** Begins a transaction, unless another program holds the lock. Jobs that met the lock too often fail. */
  #begun(): boolean {
    this.#endReads();
    try {
      this.#sql.begin.run();
      this.#isRunning = true;
      return true;
    } catch (error) {
      if (!isLocked(error)) {
        this.#failed(this.#queue.splice(0, GROUP), error);
        return false;
      }
      for (const job of this.#queue) job.met = (job.met ?? 0) + 1;
      const over = this.#queue.findIndex(({ met = 0 }) => met < TRIES);
      this.#failed(this.#queue.splice(0, over < 0 ? this.#queue.length : over), error);
      return false;
    }
  }

  #failed(jobs: readonly Job[], error: unknown): void {
    const reason = this.#explained(error);
    for (const job of jobs) job.reject(reason);
  }

  #isComplete(): boolean {
    return this.#queue.length >= Math.min(this.#onTheirWay(), GROUP);
  }

  /** Resolves when all requests that could share the next commit have arrived, or none did for `NEXT_MS`, or after `GATHER_MS`. */
  async #gather(): Promise<void> {
    if (this.#isComplete()) return;
    let isLate = false;
    const last = setTimeout(() => {
      isLate = true;
    }, GATHER_MS);
    for (let had = 0; this.#queue.length > had && !this.#isComplete() && !isLate; ) {
      had = this.#queue.length;
      await this.#arrival();
      // On a busy thread, timers end before the requests that came meanwhile are read.
      await new Promise((resolve) => setImmediate(resolve));
    }
    clearTimeout(last);
  }

  /** Resolves when a job arrives, or after `NEXT_MS`. */
  async #arrival(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, NEXT_MS);
    this.#arrived = resolve;
    await promise;
    this.#arrived = undefined;
    clearTimeout(timer);
  }

  async #group(jobs: readonly Job[]): Promise<void> {
    const { commit, rollback } = this.#sql;
    const settle: (() => void)[] = [];
    try {
      for (const job of jobs) {
        const settled = await this.#settled(job);
        if (settled === undefined) return this.#again(jobs);
        settle.push(settled);
      }
      if (this.#careful > 0) this.#careful--;
      this.#mark.count();
      commit.run();
      this.#mark.keep();
    } catch (error) {
      if (this.#writer.inTransaction) rollback.run();
      throw error;
    } finally {
      this.#isRunning = false;
    }
    for (const done of settle) done();
  }

  /** Undoes the group, which then runs again in savepoints. */
  #again(jobs: readonly Job[]): void {
    this.#sql.rollback.run();
    this.#careful = CAREFUL;
    this.#queue.unshift(...jobs);
  }

  /**
   * Runs one job; returns the callback that settles it once the group is durable. In a savepoint, SQLite copies each page before its first
   * change, and beyond 64 KiB to a file. That takes a third of a job's time, so few groups have savepoints. Without one, a job that fails
   * after it has written needs the group to be undone, and this returns undefined.
   */
  async #settled(job: Job): Promise<(() => void) | undefined> {
    const { savepoint, release, undo, changes } = this.#sql;
    const own = job.atomic && (this.#careful > 0 || job.alone);
    if (own) savepoint.run();
    const before = changes.get();
    try {
      const outcome = job.work(this.#conn);
      const value = outcome instanceof Promise ? await outcome : outcome;
      if (own) release.run();
      return () => job.resolve(value);
    } catch (error) {
      // After a disk failure, SQLite may have rolled the whole group back.
      if (!job.atomic || !this.#writer.inTransaction) throw error;
      if (own) {
        undo.run();
        release.run();
      } else if (changes.get() !== before) return undefined;
      return () => job.reject(error);
    }
  }
}
