import { parentPort, Worker, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/**
 * A page that changes several times between two checkpoints is copied once, and each checkpoint takes two fsyncs. A pause of 50 ms took
 * twice the CPU.
 */
const PAUSE_MS = 250;
/** A log with fewer pages (4 KiB each) is copied in one round, regardless of new pages. */
const SMALL = 4000;
/** Each round copies the pages that arrived during the last one, so rounds get shorter until the log is copied. */
const ROUNDS = 4;

/** The error that ended a checkpoint. */
type Failure = { message: string; code: string };

type Progress = { busy: number; log: number; checkpointed: number };

export type Checkpointer = { stop(): Promise<void> };

/**
 * Moves pages from the write-ahead log into the database file on a separate thread. SQLite's automatic checkpoint runs on the writer
 * and stops every request for tens of milliseconds. PASSIVE checkpoints block no request. `told` is called on an error, and when errors
 * end.
 */
export function startCheckpointer(file: string, told: (error: unknown) => void): Checkpointer {
  const worker = new Worker(new URL(import.meta.url), { workerData: { checkpoint: file } });
  worker.unref();
  // If this thread fails, the writer checkpoints at its own, later limit. No data is lost.
  worker.on('error', (error) => process.emitWarning(`the checkpoint thread ended: ${error.message}`));
  worker.on('message', (failure: Failure | 'done') =>
    told(failure === 'done' ? undefined : new Database.SqliteError(failure.message, failure.code)),
  );
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  return {
    stop() {
      // Keeps the process alive until the worker exits: the caller waits for that.
      worker.ref();
      worker.postMessage('stop');
      return exited;
    },
  };
}

function run(file: string): void {
  const db = new Database(file);
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  let last = 'done';
  const tell = (code: string, news: Failure | 'done') => {
    if (code !== last) parentPort!.postMessage(news);
    last = code;
  };
  const timer = setInterval(() => {
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const { log, checkpointed } = checkpoint.get() as Progress;
        if (log < SMALL || log === checkpointed) break;
      }
      tell('done', 'done');
    } catch (error) {
      // For example, the disk is full, perhaps only for a while. The log keeps the pages that were not copied.
      const { message, code } = error as Failure;
      tell(code, { message, code });
    }
  }, PAUSE_MS);
  parentPort!.once('message', () => {
    clearInterval(timer);
    db.close();
  });
}

const asked = (workerData as { checkpoint?: string } | null)?.checkpoint;
if (asked !== undefined) run(asked);
