import { parentPort, Worker, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/**
 * Moves pages from the write-ahead log into the database file on a thread of its own. Done by the writer, as SQLite does it
 * unasked, a checkpoint stops every request for tens of milliseconds; PASSIVE checkpoints block nobody.
 */
const PAUSE_MS = 20;
/** Below this many pages (4 KiB each) the log is left alone. */
const SMALL = 1000;
/** A round that copies all pages but those that arrived meanwhile is followed by shorter ones until it has caught up. */
const ROUNDS = 20;

type Progress = { busy: number; log: number; checkpointed: number };

export type Checkpointer = { stop(): Promise<void> };

export function startCheckpointer(file: string): Checkpointer {
  const worker = new Worker(new URL(import.meta.url), { workerData: { checkpoint: file } });
  worker.unref();
  // Without it the writer checkpoints at its own, late limit; nothing is lost.
  worker.on('error', (error) => process.emitWarning(`the checkpoint thread ended: ${error.message}`));
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  return {
    stop() {
      // Now somebody waits for it: the process must not end first.
      worker.ref();
      worker.postMessage('stop');
      return exited;
    },
  };
}

function run(file: string): void {
  const db = new Database(file);
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const timer = setInterval(() => {
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const { log, checkpointed } = checkpoint.get() as Progress;
        if (log < SMALL || log === checkpointed) return;
      }
    } catch {
      // A full disk, for one, which may have room again: the log keeps what was not copied.
    }
  }, PAUSE_MS);
  parentPort!.once('message', () => {
    clearInterval(timer);
    db.close();
  });
}

const asked = (workerData as { checkpoint?: string } | null)?.checkpoint;
if (asked !== undefined) run(asked);
