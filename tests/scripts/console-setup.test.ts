/** Set-up of the console, in a checkout of few files. Its npm installs nothing real, and its maker writes a file. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { waitFor } from '../support/wait.ts';
import { announce, SCRIPTS, temporaryFolder, write } from './setup.ts';

const folder = temporaryFolder();
/** npm is found beside the first folder of the PATH that has one. `hold`: while the file is there, it does not end. */
const NPM = `
const fs = require('node:fs');
const { join } = require('node:path');
const hold = join(__dirname, 'hold');
fs.appendFileSync(join(__dirname, 'calls'), JSON.stringify({ pid: process.pid, env: Object.keys(process.env), args: process.argv.slice(2), cwd: process.cwd() }) + '\\n');
if (fs.existsSync(join(__dirname, 'fail'))) { console.error('npm error network'); process.exit(1); }
fs.mkdirSync('node_modules/react', { recursive: true });
while (fs.existsSync(hold)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
fs.writeFileSync('node_modules/react/package.json', JSON.stringify(packages['node_modules/react']));
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/react': packages['node_modules/react'] } }));
`;
const MAKER = `
import { mkdirSync, writeFileSync, appendFileSync } from 'node:fs';
mkdirSync('.cache/bundle', { recursive: true });
appendFileSync('.cache/made', JSON.stringify(Object.keys(process.env)) + '\\n');
writeFileSync('.cache/bundle/console.json', '{}');
`;
const bin = join(folder, 'npm/lib/node_modules/npm/bin');
write(join(bin, 'npm-cli.js'), NPM);
mkdirSync(join(folder, 'npm/bin'));

type Call = { pid: number; env: string[]; args: string[]; cwd: string };
const lines = <T>(file: string): T[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
const calls = () => lines<Call>(join(bin, 'calls'));

let count = 0;
function newCheckout(): string {
  count += 1;
  const root = join(folder, `checkout-${count}`);
  cpSync(join(SCRIPTS, 'setup'), join(root, 'scripts/setup'), { recursive: true });
  write(join(root, 'scripts/console/make.ts'), MAKER);
  write(join(root, 'console/package.json'), '{"type":"module"}');
  write(join(root, 'console/package-lock.json'), '{"packages":{"":{},"node_modules/react":{"version":"1.0.0","dev":true}}}');
  write(join(root, 'node_modules/.installed-by-set-up'), '');
  return root;
}

/** Of what begins in the background: a test must not leave it. */
const detached = new Set<number>();
after(() => {
  for (const pid of detached)
    try {
      process.kill(pid, 'SIGKILL');
    } catch {}
});

const ENV = {
  HOME: folder,
  PATH: [join(folder, 'npm/bin'), process.env.PATH].join(delimiter),
  TMPDIR: folder,
  DATABASE_URL: 'secret',
};

async function run(root: string, code: string, env: Record<string, string> = {}): Promise<ChildProcess> {
  const program = `const it = await import(${JSON.stringify(join(root, 'scripts/setup/console.mjs'))});\n${code}`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], { env: { ...ENV, ...env }, stdio: 'ignore' });
}
const start = async (root: string, env: Record<string, string> = {}) =>
  once(await run(root, `it.startConsole(process.execPath, ${JSON.stringify(root)})`, env), 'exit');
const inForeground = (root: string) => run(root, `await it.ensureConsole(process.execPath, ${JSON.stringify(root)})`);

const state = (root: string) => join(root, '.cache/console-state.json');
const isMade = (root: string) => existsSync(join(root, '.cache/bundle/console.json'));
const isDone = (root: string) => waitFor('the console', () => isMade(root) && !existsSync(state(root)));
const listening = (root: string) => write(announce(root, process.pid), 'listening');

test('a start installs and builds in the background, once the service listens, and with three variables alone', async () => {
  const root = newCheckout();
  const before = calls().length;
  await start(root);
  assert.match(readFileSync(state(root), 'utf8'), /^\{"doing":"/);
  await waitFor('npm', () => existsSync(join(root, 'console/node_modules/react/package.json')));
  await waitFor('the wait', () => readFileSync(state(root), 'utf8').includes('waits for the service'));
  assert.equal(isMade(root), false);
  listening(root);
  await isDone(root);
  const [call] = calls().slice(before);
  assert.deepEqual(call!.args.slice(0, 2), ['ci', '--include=dev']);
  for (const names of [call!.env, ...lines<string[]>(join(root, '.cache/made'))])
    assert.deepEqual(names.sort(), ['HOME', 'PATH', 'TMPDIR']);
  assert.deepEqual(readdirSync(join(root, 'console/.cache')), []);
  assert.deepEqual(readdirSync(join(root, 'node_modules')), ['.installed-by-set-up']);
});

test('a start leaves it with CONSOLE=off, in CI, and where an operator installed the packages', async () => {
  const before = calls().length;
  const byHand = newCheckout();
  rmSync(join(byHand, 'node_modules/.installed-by-set-up'));
  for (const [root, env] of [
    [newCheckout(), { CONSOLE: 'off' }],
    [newCheckout(), { CI: 'true' }],
    [byHand, {}],
  ] as const) {
    await start(root, env);
    assert.equal(existsSync(join(root, '.cache')), false);
  }
  assert.equal(calls().length, before);
});

test('an npm that fails leaves its words, and the next attempt mends it', async () => {
  const root = newCheckout();
  write(join(bin, 'fail'), '');
  const failed = await inForeground(root);
  assert.deepEqual(await once(failed, 'exit'), [1, null]);
  assert.match(JSON.parse(readFileSync(state(root), 'utf8')).failed, /npm ci failed[\s\S]*npm error network/);
  rmSync(join(bin, 'fail'));
  assert.deepEqual(await once(await inForeground(root), 'exit'), [0, null]);
  await isDone(root);
});

test('a state that cannot be written, as on a full disk, ends no work', async () => {
  const root = newCheckout();
  write(join(bin, 'hold'), '');
  const before = calls().length;
  const ended = once(await inForeground(root), 'exit');
  await waitFor('npm', () => calls().length > before);
  detached.add(calls().at(-1)!.pid);
  await waitFor('a folder in its place', () => {
    try {
      rmSync(state(root), { force: true });
      mkdirSync(state(root));
      return true;
    } catch {
      return false;
    }
  });
  const changedAt = () => statSync(join(root, '.cache')).mtimeMs;
  const placed = changedAt();
  await waitFor('an attempt to write', () => changedAt() > placed);
  rmSync(state(root), { recursive: true });
  rmSync(join(bin, 'hold'));
  assert.deepEqual(await ended, [0, null]);
  await isDone(root);
});

test('one that is killed is mended by the next, and two at once install once', async () => {
  const root = newCheckout();
  write(join(bin, 'hold'), '');
  const before = calls().length;
  const killed = await inForeground(root);
  await waitFor('npm', () => calls().length > before);
  detached.add(calls().at(-1)!.pid);
  killed.kill('SIGKILL');
  process.kill(calls().at(-1)!.pid, 'SIGKILL');
  await once(killed, 'exit');
  assert.equal(existsSync(join(root, 'console/node_modules')), false);
  // As if the time of a killed set-up had passed.
  renameSync(join(root, 'console/.cache/setup.lock'), join(root, 'console/.cache/was'));
  const both = await Promise.all([inForeground(root), inForeground(root)]);
  const ended = both.map((one) => once(one, 'exit'));
  await waitFor('npm', () => calls().length === before + 2);
  detached.add(calls().at(-1)!.pid);
  rmSync(join(bin, 'hold'));
  for (const end of await Promise.all(ended)) assert.deepEqual(end, [0, null]);
  assert.equal(calls().length, before + 2);
  await isDone(root);
  assert.equal(existsSync(join(root, 'console/.cache/install')), false);
});

test('packages are installed again when the lock file has changed', async () => {
  const root = newCheckout();
  const version = () => JSON.parse(readFileSync(join(root, 'console/node_modules/react/package.json'), 'utf8')).version;
  await once(await inForeground(root), 'exit');
  assert.equal(version(), '1.0.0');
  const before = calls().length;
  await once(await inForeground(root), 'exit');
  assert.equal(calls().length, before);
  write(join(root, 'console/package-lock.json'), '{"packages":{"":{},"node_modules/react":{"version":"2.0.0","dev":true}}}');
  await once(await inForeground(root), 'exit');
  assert.equal(version(), '2.0.0');
});
