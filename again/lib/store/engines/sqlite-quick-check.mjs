// src/store/engines/sqlite-quick-check.ts
import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";

// src/base/clock.ts
var elapsedTime = { now: () => performance.now() };

// src/store/engines/sqlite-quick-check.ts
var PROGRAM = fileURLToPath(new URL("sqlite-quick-check.mjs", import.meta.url).href);
var MARK = "--quick-check";
var MOST_BYTES = 1024 * 1024;
function quickCheck(file, signal) {
  return new Promise((done, fail) => {
    const options = { signal, killSignal: "SIGKILL", maxBuffer: MOST_BYTES, env: {} };
    execFile(process.execPath, [PROGRAM, MARK, file], options, (error, stdout) => error ? fail(error) : done(stdout));
  });
}
var DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR)/;
function problemsOf(db, table) {
  try {
    const found = db.prepare(`PRAGMA quick_check("${table}")`).pluck().all();
    return found.filter((line) => line !== "ok");
  } catch (error) {
    const { code, message } = error;
    if (!DAMAGE.test(code)) throw error;
    return [`${message} (${code})`];
  }
}
function tablesOf(db) {
  return db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
}
async function run(file) {
  const parent = process.ppid;
  setPriority(constants.priority.PRIORITY_LOW);
  const db = new Database(file, { readonly: true, fileMustExist: true });
  for (const table of ["sqlite_schema", ...tablesOf(db)]) {
    const started = elapsedTime.now();
    const problems = problemsOf(db, table);
    if (problems.length > 0) {
      process.stdout.write(`${table}: ${problems.join("; ")}`);
      return;
    }
    await setTimeout(elapsedTime.now() - started);
    if (process.ppid !== parent) return;
  }
}
if (process.argv[1] === PROGRAM && process.argv[2] === MARK) await run(process.argv[3]);
export {
  quickCheck
};
