import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  announce,
  everythingIn,
  filesIn,
  packages,
  place,
  SCRIPTS,
  services,
  temporaryFolder,
  useFakeNpm,
  write,
} from './setup.ts';

const folder = temporaryFolder();
const npm = useFakeNpm(folder);
const LOCK = {
  '': {},
  'node_modules/served': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/served/node_modules/inner': { version: '2.0.0' },
  'node_modules/tests': { version: '1.0.0', dev: true },
  'node_modules/both': { version: '1.0.0', devOptional: true },
  'node_modules/elsewhere': { version: '1.0.0', optional: true },
};

function lockOf(root: string, changes: Record<string, object> = {}): void {
  write(join(root, 'package-lock.json'), JSON.stringify({ packages: { ...LOCK, ...changes } }));
}

function newProject(): string {
  const root = mkdtempSync(join(folder, 'project-'));
  write(join(root, 'package.json'), JSON.stringify({ workspaces: ['part'] }));
  write(join(root, 'part/package.json'), '{}');
  write(join(root, '.npmrc'), '');
  write(join(root, '.cache/keep'), '');
  lockOf(root);
  return root;
}

const install = (root: string, dev: boolean) => packages.ensurePackages(process.execPath, root, dev);
const leftovers = (root: string) => readdirSync(join(root, '.cache')).filter((name) => name !== 'keep' && name !== 'services');
const has = (root: string, name: string) => existsSync(join(root, 'node_modules', name, 'package.json'));

test('packages are installed beside, from the manifests alone, and nothing is left there', async () => {
  const root = newProject();
  const before = npm.calls().length;
  await install(root, true);
  assert.deepEqual(packages.differences(root, true), { missing: [], other: [] });
  const [call] = npm.calls().slice(before);
  assert.deepEqual(call?.files, ['.npmrc', 'package-lock.json', 'package.json', 'part']);
  assert.match(call?.cwd ?? '', /\.cache/);
  assert.deepEqual(leftovers(root), []);
  await install(root, true);
  assert.equal(npm.calls().length, before + 1);
});

test('what npm ci --omit=dev installed is enough to serve and not to test; it stays without the packages for tests', async () => {
  const root = newProject();
  await install(root, true);
  // The state in which npm leaves the folder.
  rmSync(join(root, 'node_modules/tests'), { recursive: true });
  rmSync(join(root, 'node_modules/both'), { recursive: true });
  const served = Object.entries(LOCK).filter(([path]) => path.includes('served'));
  write(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: Object.fromEntries(served) }));
  const before = everythingIn(join(root, 'node_modules'));
  await install(root, false);
  assert.deepEqual(everythingIn(join(root, 'node_modules')), before);
  lockOf(root, { 'node_modules/served': { version: '1.0.1' } });
  await install(root, false);
  assert.deepEqual(packages.differences(root, false), { missing: [], other: [] });
  assert.equal(has(root, 'tests'), false);
  await install(root, true);
  assert.equal(has(root, 'tests'), true);
});

test('what differs from the lock file is seen: version, hash, absence, no record of an installation, what is too much', async () => {
  const root = newProject();
  await install(root, true);
  const found = (changes: Record<string, object>, dev = false) => {
    lockOf(root, changes);
    return packages.differences(root, dev);
  };
  const served = 'node_modules/served';
  assert.deepEqual(found({ [served]: { version: '1.0.1' } }), { missing: [], other: [served] });
  assert.deepEqual(found({ [served]: { version: '1.0.0', integrity: 'sha512-b' } }), { missing: [], other: [served] });
  assert.deepEqual(found({ 'node_modules/new': { version: '1.0.0' } }), { missing: ['node_modules/new'], other: [] });
  assert.deepEqual(found({ 'node_modules/new': { version: '1.0.0', optional: true } }, true), { missing: [], other: [] });
  assert.deepEqual(found({ 'node_modules/new': { version: '1.0.0', dev: true } }), { missing: [], other: [] });
  assert.deepEqual(found({ 'node_modules/new': { version: '1.0.0', dev: true } }, true).missing, ['node_modules/new']);
  write(join(root, 'package-lock.json'), JSON.stringify({ packages: { [served]: LOCK[served] } }));
  assert.deepEqual(packages.differences(root, false), { missing: [], other: [] });
  assert.equal(packages.differences(root, true).other.includes('node_modules/tests'), true);
  lockOf(root);
  rmSync(join(root, served), { recursive: true });
  assert.deepEqual(packages.differences(root, false).missing, [served, `${served}/node_modules/inner`]);
  rmSync(join(root, 'node_modules/.package-lock.json'));
  assert.equal(packages.differences(root, false).missing.length, 2);
});

test('an installation that fails leaves the old packages as they were', async () => {
  const root = newProject();
  await install(root, true);
  lockOf(root, { 'node_modules/served': { version: '3.0.0' } });
  const before = everythingIn(join(root, 'node_modules'));
  process.env.FAKE_NPM = 'fail';
  try {
    await assert.rejects(install(root, true), /npm ci failed \(exit code 1\):\nnpm error network/);
  } finally {
    delete process.env.FAKE_NPM;
  }
  assert.deepEqual(everythingIn(join(root, 'node_modules')), before);
  assert.deepEqual(leftovers(root), []);
});

/** A process of its own that installs. */
function installer(root: string, env: Record<string, string>) {
  const code = `
    const { ensurePackages } = await import(${JSON.stringify(join(SCRIPTS, 'setup/packages.mjs'))});
    await ensurePackages(process.execPath, ${JSON.stringify(root)}, true);`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
}

test('one that is killed does too, and the next one removes what it left', { timeout: 30_000 }, async () => {
  const root = newProject();
  await install(root, true);
  lockOf(root, { 'node_modules/served': { version: '3.0.0' } });
  const before = everythingIn(join(root, 'node_modules'));
  const calls = npm.calls().length;
  const killed = installer(root, { FAKE_NPM: 'hang' });
  while (npm.calls().length === calls) await new Promise((done) => setTimeout(done, 20));
  killed.kill('SIGKILL');
  process.kill(npm.calls().at(-1)!.pid, 'SIGKILL');
  await once(killed, 'exit');
  assert.deepEqual(everythingIn(join(root, 'node_modules')), before);
  assert.equal(leftovers(root).length, 1);
  place.tidy(root, 'node_modules');
  assert.deepEqual(leftovers(root), []);
  await install(root, true);
  assert.deepEqual(packages.differences(root, true), { missing: [], other: [] });
});

test('beside a running service nothing that is there is changed, and what to do is said', async () => {
  const root = newProject();
  await install(root, true);
  announce(root, process.pid);
  await install(root, true);
  const before = everythingIn(join(root, 'node_modules'));
  const calls = npm.calls().length;
  const refused = async (dev: boolean, name: string) => {
    const text = `not those of package-lock.json \\(${name}\\), and a service of this folder runs \\(process ${process.pid},.*Stop it`;
    await assert.rejects(install(root, dev), new RegExp(text));
    assert.equal(npm.calls().length, calls);
    assert.deepEqual(everythingIn(join(root, 'node_modules')), before);
  };
  lockOf(root, { 'node_modules/served': { version: '3.0.0' } });
  await refused(false, 'served');
  lockOf(root, { 'node_modules/tests': { version: '3.0.0', dev: true } });
  await refused(true, 'tests');
});

test('the packages for tests are added beside a running service, and an addition that was killed is made again', async () => {
  const root = newProject();
  await install(root, false);
  assert.equal(has(root, 'tests'), false);
  announce(root, process.pid);
  const before = filesIn(join(root, 'node_modules'));
  assert.ok(before.length >= 2);
  // A killed addition moved this one, and did not write npm's record.
  write(join(root, 'node_modules/tests/package.json'), '{"version":"0.9.0"}');
  await install(root, true);
  assert.deepEqual(packages.differences(root, true), { missing: [], other: [] });
  assert.match(readFileSync(join(root, 'node_modules/tests/package.json'), 'utf8'), /1\.0\.0/);
  const after = new Set(filesIn(join(root, 'node_modules')));
  assert.deepEqual(
    before.filter((entry) => !after.has(entry)),
    [],
  );
  assert.deepEqual(leftovers(root), []);
});

test('an installation that has the packages for tests keeps and renews them at a start; a fresh one has none', async () => {
  const root = newProject();
  await install(root, false);
  assert.deepEqual([has(root, 'served'), has(root, 'tests')], [true, false]);
  await install(root, true);
  lockOf(root, { 'node_modules/served': { version: '1.0.1' }, 'node_modules/tests': { version: '1.0.1', dev: true } });
  await install(root, false);
  assert.deepEqual(packages.differences(root, true), { missing: [], other: [] });
});

test('a service counts as long as it writes', () => {
  const root = newProject();
  const file = announce(root, 7);
  assert.deepEqual(services.runningServices(root), [file]);
  utimesSync(file, 0, 0);
  assert.deepEqual(services.runningServices(root), []);
});
