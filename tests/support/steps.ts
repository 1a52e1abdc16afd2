/**
 * Is loaded into the service's process with `--import`: counts the steps of its start, in DATA_DIR and in the database. Writes
 * each step to STEPS_FILE, and kills the process right before step number DIE_AT_STEP. So a crash hits the step that was meant,
 * on a slow machine too.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import Database from 'better-sqlite3';
import pg from 'pg';

const { DATA_DIR = '', STEPS_FILE, DIE_AT_STEP } = process.env;
const append = fs.appendFileSync;
const opened = new Set<unknown>();
let count = 0;

function step(name: string): void {
  if (STEPS_FILE) append(STEPS_FILE, `${name.replace(/\s+/g, ' ').slice(0, 80)}\n`);
  if (count === Number(DIE_AT_STEP ?? -1)) process.kill(process.pid, 'SIGKILL');
  count += 1;
}

type Patched = { this: unknown; args: readonly unknown[]; result: unknown };

function patch(owner: object, name: string, before: (call: Patched) => void, after?: (call: Patched) => void): void {
  const methods = owner as Record<string, (...args: unknown[]) => unknown>;
  const original = methods[name]!;
  methods[name] = function (this: unknown, ...args: unknown[]) {
    const call: Patched = { this: this, args, result: undefined };
    before(call);
    call.result = original.apply(this, args);
    after?.(call);
    return call.result;
  };
}

const isOurs = (path: unknown) => typeof path === 'string' && path.startsWith(DATA_DIR);

// Threads count for themselves, and none of them has a part in a first start.
if (isMainThread) {
  const open = ({ args: [path] }: Patched) => isOurs(path) && step(`file open ${path}`);
  patch(fs, 'openSync', open, ({ args: [path], result }) => isOurs(path) && opened.add(result));
  for (const name of ['writeSync', 'fsyncSync', 'closeSync'])
    patch(fs, name, ({ args: [handle] }) => opened.has(handle) && step(`file ${name}`));
  for (const name of ['linkSync', 'rmSync', 'unlinkSync', 'renameSync'])
    patch(fs, name, ({ args: [path] }) => isOurs(path) && step(`file ${name} ${path}`));
  syncBuiltinESMExports();

  const statement: object = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'));
  for (const name of ['run', 'get', 'all'])
    patch(statement, name, (call) => step(`sql ${(call.this as Database.Statement).source}`));
  patch(Database.prototype, 'exec', ({ args: [sql] }) => step(`sql ${sql}`));
  patch(pg.Client.prototype, 'query', ({ args: [sql] }) =>
    step(`sql ${typeof sql === 'string' ? sql : (sql as { text?: string } | undefined)?.text}`),
  );
}
