/** `npm test`: see HELP. The last line is always `N passed, N failed`, with `, N skipped` if there were any. */
import { execFile, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { startPostgres } from '../tests/support/postgres.ts';
import { ensureAge, needsAge } from './test/age.ts';
import { changedFiles, concernedBy } from './test/changed.ts';
import { chosenFiles, Misasked } from './test/choose.ts';
import { ensureChromium } from './test/chromium.ts';
import { inOrder, isOnBothEngines, needsConsole, ownPackagesOf, type Part, planOf } from './test/files.ts';
import { HELP } from './test/help.ts';
import { Imports } from './test/imports.ts';
import { ensureInstalled } from './test/own-packages.ts';
import { notePassed, treeOf } from './test/passed.ts';
import { allCosts, besideBase, charge, mostUsed, processorSeconds } from './test/processor-time.ts';
import { type Counts, indent } from './test/report.ts';
import { testFiles } from './test/run.ts';
import { ensureContainerTools, ensureSandboxTools, needsContainerTools, needsSandboxTools } from './test/sandbox-tools.ts';
import { ownTemporaryFolder } from './test/temporary-folder.ts';
import { ensureUnpacked, needsUnpacked } from './test/unpacked.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FILE_TIMEOUT_S = 900;

type Engine = 'sqlite' | 'postgres';

interface Options {
  readonly files: readonly string[];
  /** Whether that is every test file, so that the check comes first. */
  readonly all: boolean;
  /** Which of the files run; files that were asked for by name all do. */
  readonly part: Part;
  /** How much of the longest tests. */
  readonly amount: Part;
  readonly engine: Engine | undefined;
  readonly seed: number;
  readonly timeoutMs: number;
  readonly again: boolean;
  readonly costs: string | undefined;
}

const stopped = new AbortController();
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
const flaky: string[] = [];
/** Whether it is `npm test` without options that change what runs: its cost has a base. */
let isPlain = false;
/** Of a run that may prove a release: the tree of its files, or that they were not committed. */
let proving: { tree: string | undefined } | undefined;
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** A program that counts as one test. */
async function program(name: string, args: readonly string[]): Promise<void> {
  if (stopped.signal.aborted) return;
  const started = performance.now();
  const options = { cwd: ROOT, maxBuffer: 64 * 1024 * 1024, signal: stopped.signal };
  const failure = await new Promise<string | undefined>((resolve) =>
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve(error === null ? undefined : `${stdout}${stderr}` || String(error)),
    ),
  );
  charge(name);
  if (stopped.signal.aborted) return;
  if (failure === undefined) total.passed += 1;
  else total.failed += 1;
  say(`${failure === undefined ? 'ok  ' : 'FAIL'} ${name} (${Math.round(performance.now() - started)} ms)`);
  if (failure !== undefined) say(indent(failure));
}

async function check(): Promise<void> {
  await program('check', ['scripts/check.ts']);
  if (existsSync(join(ROOT, 'scripts/generate.ts')))
    await program('generated files are up to date', ['scripts/generate.ts', '--check']);
}

/** Most tests begin with a migrated database: it is made once and copied. `server`: of PostgreSQL. */
async function onEngine(
  files: readonly string[],
  server: string | undefined,
  { again, timeoutMs, costs }: Options,
): Promise<void> {
  // The store is loaded for this alone.
  const { makeTemplate } = await import('../tests/support/template.ts');
  const template = await makeTemplate(server);
  process.env.TEST_DATABASE_TEMPLATE = template.name;
  const engine = server === undefined ? 'sqlite' : 'postgres';
  const outcome = await testFiles(files, { root: ROOT, engine, timeoutMs, again, signal: stopped.signal, say }).finally(
    template.drop,
  );
  if (costs !== undefined) writeFileSync(costs, allCosts());
  total.passed += outcome.passed;
  total.failed += outcome.failed;
  total.skipped += outcome.skipped;
  flaky.push(...outcome.flaky);
}

function onServer(url: string, files: readonly string[], options: Options): Promise<void> {
  process.env.TEST_DATABASE_URL = url;
  return onEngine(files, url, options);
}

async function onPostgres(files: readonly string[], given: string | undefined, options: Options): Promise<void> {
  if (given) return onServer(given, files, options);
  const server = await startPostgres({ fsync: 'off' });
  if ('unavailable' in server) {
    const required = options.engine === 'postgres' || Boolean(process.env.CI);
    if (required) total.failed += 1;
    else total.skipped += 1;
    proving = undefined;
    say(`\n${required ? 'FAIL' : 'skip'} ${files.length} test files on postgres: no PostgreSQL\n${indent(server.unavailable)}`);
    return;
  }
  try {
    await onServer(server.url, files, options);
  } finally {
    await server.stop();
  }
}

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        only: { type: 'string' },
        engine: { type: 'string' },
        seed: { type: 'string' },
        timeout: { type: 'string' },
        costs: { type: 'string' },
        again: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        release: { type: 'boolean', default: false },
        changed: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new Misasked((error as Error).message);
  }
}

function readOptions(): Options {
  const { values, positionals: named } = parsed();
  const { only, engine, again } = values;
  if (engine !== undefined && engine !== 'sqlite' && engine !== 'postgres')
    throw new Misasked(`--engine is sqlite or postgres, not ${engine}`);
  const seed = values.seed === 'random' ? randomInt(2 ** 31) : Number(values.seed ?? 1);
  if (!Number.isInteger(seed) || Math.abs(seed) >= 2 ** 31)
    throw new Misasked(`--seed is a 32-bit integer or random, not ${values.seed}`);
  const timeoutMs = Number(values.timeout ?? FILE_TIMEOUT_S) * 1000;
  if (!(timeoutMs > 0)) throw new Misasked(`--timeout is a number of seconds, not ${values.timeout}`);
  // npm names the folder that it was called in.
  const from = process.env.INIT_CWD ?? process.cwd();
  const chosen = chosenFiles(ROOT, { only, named, from });
  const files = inOrder(values.changed ? concernedBy(changedFiles(ROOT), chosen, new Imports(ROOT)) : chosen);
  if (files.length === 0) throw new Misasked('the changes concern no test file: npm test runs all of them');
  if (engine === 'postgres' && !files.some(isOnBothEngines))
    throw new Misasked(`nothing differs on postgres in ${files.join(', ')}: leave --engine out`);
  const all = only === undefined && named.length === 0 && !values.changed;
  const amount = values.release ? 'release' : values.full ? 'full' : 'default';
  return { files, all, part: all ? amount : 'release', amount, engine, seed, timeoutMs, again, costs: values.costs };
}

async function main(): Promise<void> {
  const options = readOptions();
  const { files, all, part, engine, seed } = options;
  const { sqlite, postgres, left } = planOf(files, part);
  if (all && part === 'release' && engine === undefined) proving = { tree: treeOf(ROOT) };
  isPlain = all && part === 'default' && engine === undefined;
  process.env.TEST_SEED = String(seed);
  process.env.TEST_PART = options.amount;
  // Without it, each process reads all sources of the service anew.
  process.env.NODE_COMPILE_CACHE ||= join(ROOT, '.cache/compile');
  say(`property tests draw from seed ${seed}`);
  const databaseUrl = process.env.TEST_DATABASE_URL || undefined;
  delete process.env.TEST_DATABASE_URL;
  // Tests start the service from it. If it cannot be made, the run says so, and they start it from the sources.
  if (existsSync(join(ROOT, 'scripts/bundle.ts')))
    spawnSync(process.execPath, ['scripts/bootstrap.mjs', 'bundle'], { cwd: ROOT, stdio: 'inherit' });
  if ((all || files.some(needsConsole)) && existsSync(join(ROOT, 'console/package-lock.json')))
    spawnSync(process.execPath, ['scripts/bootstrap.mjs', 'console'], { cwd: ROOT, stdio: 'inherit' });
  const checked = all ? check() : undefined;
  if (files.some((file) => file.startsWith('tests/browser/'))) ensureChromium(say);
  if (files.some(needsSandboxTools)) ensureSandboxTools(say);
  if (options.amount !== 'default' && files.some(needsContainerTools)) ensureContainerTools(say);
  if (sqlite.some(needsUnpacked)) ensureUnpacked(ROOT, say);
  if (files.some(needsAge)) ensureAge(say);
  if (options.amount !== 'default') for (const packages of ownPackagesOf(sqlite)) ensureInstalled(ROOT, packages, say);
  charge('set-up');
  if (engine !== 'postgres') await onEngine(sqlite, undefined, options);
  if (engine !== 'sqlite' && postgres.length > 0 && !stopped.signal.aborted) await onPostgres(postgres, databaseUrl, options);
  await checked;
  if (left !== undefined) say(`\n${left}`);
}

if (process.argv.includes('--help')) {
  say(HELP);
  process.exit();
}
// Not once: a terminal's Ctrl-C arrives twice, from the terminal and from `npm test`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopped.signal.aborted) return;
    say(`\nstopped by ${signal}`);
    total.failed += 1;
    stopped.abort();
  });
}
const temporary = ownTemporaryFolder();
try {
  await main();
  const left = temporary.leftovers();
  // A test that failed may have left its folder.
  const excused = total.failed > 0 || flaky.length > 0;
  if (left.length > 0) say(`\n${excused ? 'note' : 'FAIL'} the tests left in the temporary folder: ${left.join(', ')}`);
  if (left.length > 0 && !excused) total.failed += 1;
} catch (error) {
  say(error instanceof Misasked ? error.message : inspect(error));
  total.failed += 1;
} finally {
  temporary.remove();
}
const { passed, failed, skipped } = total;
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
const seconds = processorSeconds();
const beside = seconds !== undefined && isPlain ? besideBase(seconds, readFileSync(join(ROOT, 'docs/testing.md'), 'utf8')) : '';
if (seconds !== undefined && passed > 0) say(`\nprocessor time: ${Math.round(seconds)} s${beside}; most by ${mostUsed(12)}`);
if (flaky.length > 0) say(`\n${flaky.join('\n')}`);
if (proving && process.exitCode === 0 && !notePassed(ROOT, proving.tree))
  say('\nnpm run release does not count this run: the files were not committed, or changed meanwhile');
say(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
