/**
 * Is loaded into the service's process with `--import`: counts its steps, in DATA_DIR and in the database. Writes each step to
 * STEPS_FILE. It kills the process right before step number DIE_AT_STEP, or when step number DIE_AFTER_STEP has ended. So a crash
 * hits the step that was meant, on a slow machine too. STEPS_FROM is a file that is made later. The first step that counts has the
 * text in it, and steps of other connections do not count. With STEPS_OF, only those count whose name it matches.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import Database from 'better-sqlite3';
import pg from 'pg';

const { DATA_DIR = '', STEPS_FILE, STEPS_FROM, STEPS_OF = '', DIE_AT_STEP, DIE_AFTER_STEP } = process.env;
const append = fs.appendFileSync;
const opened = new Set<unknown>();
const counted = new RegExp(STEPS_OF);
/** The connection of the first step that counts, of a pool. */
let begunOn: { connection: unknown } | undefined;
let count = 0;

const die = (): void => void process.kill(process.pid, 'SIGKILL');

/** Returns its number. Undefined: it does not count. */
function step(name: string, connection?: unknown): number | undefined {
  const shown = name.replace(/\s+/g, ' ').slice(0, 80);
  if (!counted.test(shown)) return undefined;
  if (STEPS_FROM !== undefined) {
    if (fs.existsSync(STEPS_FROM) && shown.includes(fs.readFileSync(STEPS_FROM, 'utf8'))) begunOn ??= { connection };
    if (begunOn === undefined || begunOn.connection !== connection) return undefined;
  }
  if (STEPS_FILE) append(STEPS_FILE, `${shown}\n`);
  if (count === Number(DIE_AT_STEP ?? -1)) die();
  return count++;
}

type Patched = { this: unknown; args: readonly unknown[]; result: unknown; number?: number | undefined };

function sqlStep(call: Patched, sql: unknown, connection?: unknown): void {
  call.number = step(`sql ${sql}`, connection);
}

function sqlEnded({ number, result }: Patched): void {
  if (number !== Number(DIE_AFTER_STEP)) return;
  if (result instanceof Promise) result.then(die, die);
  else die();
}

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
    patch(statement, name, (call) => sqlStep(call, (call.this as Database.Statement).source), sqlEnded);
  patch(Database.prototype, 'exec', (call) => sqlStep(call, call.args[0]), sqlEnded);
  const textOf = (query: unknown) => (typeof query === 'string' ? query : (query as { text?: string } | undefined)?.text);
  patch(pg.Client.prototype, 'query', (call) => sqlStep(call, textOf(call.args[0]), call.this), sqlEnded);
}
