import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { elapsedTime } from '../../base/clock.ts';

const PROGRAM = fileURLToPath(import.meta.url);
const MARK = '--quick-check';

/** More than SQLite reports for a table: it stops after 100 findings. */
const MOST_BYTES = 1024 * 1024;

/**
 * Checks the file in a separate process, which `signal` ends. SQLite cannot be interrupted on a thread, so the service could not exit
 * before the check ends (decision 0068). Resolves with SQLite's findings, or with an empty text.
 */
export function quickCheck(file: string, signal: AbortSignal): Promise<string> {
  return new Promise((done, fail) => {
    const options = { signal, killSignal: 'SIGKILL', maxBuffer: MOST_BYTES, env: {} } as const;
    execFile(process.execPath, [PROGRAM, MARK, file], options, (error, stdout) => (error ? fail(error) : done(stdout)));
  });
}

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR)/;

function problemsOf(db: Database.Database, table: string): string[] {
  try {
    const found = db.prepare(`PRAGMA quick_check("${table}")`).pluck().all() as string[];
    return found.filter((line) => line !== 'ok');
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    if (!DAMAGE.test(code)) throw error;
    return [`${message} (${code})`];
  }
}

function tablesOf(db: Database.Database): string[] {
  return db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
}

/** Checks one table at a time, because the write-ahead log cannot restart during a read. The pauses leave the disk to the service. */
async function run(file: string): Promise<void> {
  const parent = process.ppid;
  setPriority(constants.priority.PRIORITY_LOW);
  const db = new Database(file, { readonly: true, fileMustExist: true });
  for (const table of ['sqlite_schema', ...tablesOf(db)]) {
    const started = elapsedTime.now();
    const problems = problemsOf(db, table);
    if (problems.length > 0) {
      process.stdout.write(`${table}: ${problems.join('; ')}`);
      return;
    }
    await setTimeout(elapsedTime.now() - started);
    // The service died. It checks the file again when it starts.
    if (process.ppid !== parent) return;
  }
}

if (process.argv[1] === PROGRAM && process.argv[2] === MARK) await run(process.argv[3]!);
