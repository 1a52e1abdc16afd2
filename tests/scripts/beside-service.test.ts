/** A copy of this checkout with a production installation, its service, and every command of the folder beside it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { everythingIn, filesIn, packages, services, temporaryFolder, useFakeNpm, write } from './setup.ts';

const HERE = resolve(import.meta.dirname, '../..');
const folder = temporaryFolder();
const root = join(folder, 'checkout');
const npm = useFakeNpm(folder);
const COMMANDS = ['start', 'test', 'check', 'generate', 'bench', 'demo'];

type Lock = { packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean; version?: string }> };
const lock: Lock = JSON.parse(readFileSync(join(HERE, 'package-lock.json'), 'utf8'));

/** Where the folders are on one file system, as a second name of each file. */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name === 'node_modules') continue;
    if (entry.isDirectory()) linkTree(source, target);
    else {
      try {
        linkSync(source, target);
      } catch {
        copyFileSync(source, target);
      }
    }
  }
}

/** Installs what `npm ci --omit=dev` installs. */
function installForProduction(): void {
  const installed: Lock['packages'] = {};
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.startsWith('node_modules/') || entry.link || entry.dev || entry.devOptional || !existsSync(join(HERE, path)))
      continue;
    linkTree(join(HERE, path), join(root, path));
    installed[path] = entry;
  }
  write(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
}

const env = (more: Record<string, string> = {}): NodeJS.ProcessEnv => {
  const rest = { ...process.env };
  for (const name of ['NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'NODE_TEST_CONTEXT', 'MALLOC_ARENA_MAX', 'GLIBC_TUNABLES'])
    delete rest[name];
  return { ...rest, ...npm.env, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info', ...more };
};

const running: ChildProcess[] = [];

/** A process that starts the service, once it listens. Fails if it ends before. `output`: all that it printed so far. */
async function listening(
  command: string,
  args: readonly string[],
  more: Record<string, string>,
): Promise<{ child: ChildProcess; output(): string }> {
  const child = spawn(command, args, { cwd: root, env: env(more), stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let output = '';
  await new Promise<void>((done, fail) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      if (output.includes('Countersign runs on') && output.includes('"msg":"listening"')) done();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('close', (code) => fail(new Error(`it ended with ${code}: ${output}`)));
  });
  return { child, output: () => output };
}

/** The bundle is there from the first start on. */
async function start(more: Record<string, string>, args = ['scripts/bootstrap.mjs', 'start']): Promise<ChildProcess> {
  const { child, output } = await listening(process.execPath, args, more);
  assert.doesNotMatch(output(), /installing/);
  assert.match(output(), /"runs":"bundle"/);
  return child;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

const bootstrap = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/bootstrap.mjs', ...args], { cwd: root, env: env(), encoding: 'utf8' });
const commandLine = (...args: string[]) =>
  spawnSync(process.execPath, ['countersign', ...args], { cwd: root, env: env(), encoding: 'utf8' });

function changeLock(name: string): void {
  const changed = { packages: { ...lock.packages, [name]: { ...lock.packages[name], version: '999.0.0' } } };
  write(join(root, 'package-lock.json'), JSON.stringify(changed));
}

before(() => {
  for (const name of [
    'src',
    'frames',
    'reference',
    'review',
    'docs',
    'README.md',
    'scripts',
    'bench',
    'openapi',
    'console',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    '.npmrc',
    'countersign',
  ])
    cpSync(join(HERE, name), join(root, name), { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  // Files that the commands would use if nothing stopped them.
  for (const name of ['tests/one.test.ts', 'tests/support/postgres.ts']) write(join(root, name), '');
});
after(() => Promise.all(running.map(stopped)));

const pidOf = (announced: string) => Number(basename(announced).split('-')[0]);
const posix = process.platform === 'win32' ? { skip: 'Windows has no sh' } : {};

test('without packages, the command line says what to run and installs nothing', () => {
  for (const args of [['--version'], ['config'], ['query', 'whoami']]) {
    const { status, stderr, stdout } = commandLine(...args);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^countersign: the packages are not installed: run `npm start` once, or `npm ci --omit=dev`\n$/);
  }
  assert.equal(existsSync(join(root, 'node_modules')), false);
  assert.deepEqual(npm.calls(), []);
});

test('a production installation starts as it is, and no command of the folder changes it under the service', {
  timeout: 600_000,
}, async (t) => {
  // If it fails, the next test has the packages of the lock file, and no service beside it.
  t.after(async () => {
    await Promise.all(running.map(stopped));
    write(join(root, 'package-lock.json'), JSON.stringify(lock));
  });
  installForProduction();
  assert.equal(existsSync(join(root, 'node_modules/typescript')), false);
  assert.deepEqual(packages.differences(root, false), { missing: [], other: [] });
  const port = String(await freePort());
  let installed = everythingIn(join(root, 'node_modules'));
  const service = await start({ PORT: port });
  const [announced] = services.runningServices(root);
  assert.ok(announced);
  const unchanged = () => assert.deepEqual(everythingIn(join(root, 'node_modules')), installed);
  unchanged();

  // A package that the service uses: nothing but the command line can go on.
  changeLock('node_modules/zod');
  for (const command of [...COMMANDS, 'bundle']) {
    const { status, stderr } = bootstrap(command);
    assert.equal(status, 1, command);
    assert.match(stderr, /a service of this folder runs \(process \d+.*Stop it and run this again/, command);
    unchanged();
  }
  const url = `http://127.0.0.1:${port}`;
  for (const args of [['--version'], ['config'], ['--url', url, 'query', 'whoami'], ['policy', 'check', 'nowhere.yaml']]) {
    const { status, stderr } = commandLine(...args);
    assert.equal(status, args[0] === 'policy' ? 2 : 0, `${args}: ${stderr}`);
    assert.match(stderr, /packages are not those of package-lock\.json \(zod\); going on with them/);
    unchanged();
  }

  // What tests need is added, and nothing that was there is touched.
  write(join(root, 'package-lock.json'), JSON.stringify(lock));
  const served = filesIn(join(root, 'node_modules'));
  const added = bootstrap('packages');
  assert.match(added.stderr, /packages are missing \(.* more\): installing also the packages for tests and examples/);
  assert.deepEqual(packages.differences(root, true), { missing: [], other: [] });
  const present = new Set(filesIn(join(root, 'node_modules')));
  assert.deepEqual(
    served.filter((entry) => !present.has(entry)),
    [],
  );
  installed = everythingIn(join(root, 'node_modules'));
  assert.equal(npm.calls().length, 1);

  // Another version of a package for tests is not: a second service may start.
  changeLock('node_modules/fast-check');
  for (const command of COMMANDS.slice(1)) assert.equal(bootstrap(command).status, 1, command);
  assert.equal(bootstrap('bundle').status, 0);
  const second = await start({ PORT: '0', DATA_DIR: join(folder, 'second') });
  assert.equal(services.runningServices(root).length, 2);
  unchanged();
  await stopped(second);

  // With the compiled code that the second one left, as at every start but the first; by the other command.
  const third = await start({ PORT: '0', DATA_DIR: join(folder, 'second'), MALLOC_ARENA_MAX: '3' }, ['countersign', 'start']);
  if (process.platform === 'linux') {
    const others = services.runningServices(root).filter((file) => file !== announced);
    assert.equal(others.length, 1);
    const ofProcess = (file: string) => readFileSync(`/proc/${pidOf(others[0]!)}/${file}`, 'utf8');
    const status = ofProcess('status');
    const megabytes = (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024) / 1e6;
    assert.ok(megabytes < 150, `${megabytes} MB`);
    assert.match(ofProcess('cmdline'), /\0--min-semi-space-size=32\0--max-semi-space-size=32\0/);
    const variables = ofProcess('environ').split('\0');
    assert.ok(variables.includes('MALLOC_ARENA_MAX=3'), 'whoever sets it decides');
    assert.ok(variables.includes('GLIBC_TUNABLES=glibc.malloc.hugetlb=1'));
  }
  await stopped(third);

  // Killed without a chance to clean up, it no longer counts once it would have written again.
  assert.equal(pidOf(announced), service.pid, 'no process stays between');
  assert.equal(bootstrap('check').status, 1);
  unchanged();
  service.kill('SIGKILL');
  utimesSync(announced, 0, 0);
  assert.deepEqual(services.runningServices(root), []);
  assert.equal(npm.calls().length, 1);
});

test('a service that npm started ends when the shell between does, and keeps no process beside it', posix, async () => {
  const command = ['-c', '"$0" scripts/bootstrap.mjs start; true', process.execPath];
  const more = { PORT: '0', DATA_DIR: join(folder, 'third'), npm_lifecycle_event: 'start' };
  const { child: shell, output } = await listening('sh', command, more);
  assert.equal(services.runningServices(root).length, 1);
  shell.kill('SIGTERM');
  // Closed once no process is left that could write to the shell's output.
  await once(shell, 'close');
  assert.match(output(), /"msg":"stopping"/);
  assert.equal(services.runningServices(root).length, 0);
});

test('without a service, what differs is replaced', () => {
  changeLock('node_modules/fast-check');
  const { stderr } = bootstrap('check', '--only=nothing');
  assert.match(stderr, /packages are not those of package-lock\.json \(fast-check\): installing also the packages for tests/);
  const calls = npm.calls();
  assert.deepEqual(
    calls.map(({ args }) => args.slice(0, 2)),
    [
      ['ci', '--include=dev'],
      ['ci', '--include=dev'],
    ],
  );
  assert.equal(dirname(calls[1]!.cwd), join(root, '.cache'));
  assert.deepEqual(packages.differences(root, true), { missing: [], other: [] });
});
