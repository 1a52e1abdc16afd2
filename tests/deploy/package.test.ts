/** The published package: what is in it, and that it runs in a folder without the repository. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { Turnkey } from '@turnkey/sdk-server';
import { type Packed, packed, stage } from '../../scripts/package/make.ts';
import { installCommand } from '../../src/app/optional-package.ts';
import { temporaryFolder } from '../scripts/setup.ts';
import { freePort } from '../support/free-port.ts';
import { isFull } from '../support/full.ts';
import { guard } from '../support/guard.ts';
import { waitFor } from '../support/wait.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = temporaryFolder();
const staged = join(folder, 'staged');
const command = join(staged, 'bin/countersign.mjs');
let made: Packed;

before(async () => {
  await stage(ROOT, staged);
  made = packed(staged, folder);
});

test('the package has its programs, what they read, licences, and nothing else', () => {
  const names = made.files.map(({ path }) => path);
  const allowed =
    /^(bin|lib|console\/public|contracts\/artifacts)\/|^(openapi\/(operations|operations-help|public-api|auth-proxy)\.json|man\/countersign\.1|package\.json|npm-shrinkwrap\.json|README\.md|LICENSE|NOTICES|(frames|reference|console)\.json)$/;
  assert.deepEqual(
    names.filter((name) => !allowed.test(name)),
    [],
  );
  assert.ok(names.includes('NOTICES') && names.includes('npm-shrinkwrap.json'));
  assert.ok(made.size < 5e6, `${made.size} bytes`);
  assert.deepEqual(
    made.files.filter(({ mode }) => mode !== 0o644).map(({ path, mode }) => [path, mode]),
    [['bin/countersign.mjs', 0o755]],
  );
  const { scripts, devDependencies, dependencies } = JSON.parse(readFileSync(join(staged, 'package.json'), 'utf8'));
  assert.deepEqual([scripts, devDependencies, dependencies.esbuild], [undefined, undefined, undefined]);
  const { packages } = JSON.parse(readFileSync(join(staged, 'npm-shrinkwrap.json'), 'utf8'));
  for (const [path, { integrity }] of Object.entries<{ integrity?: string }>(packages).slice(1))
    assert.match(integrity!, /^sha512-/, path);
});

test('an old Node.js is told which one is needed', () => {
  const old = "data:text/javascript,Object.defineProperty(process, 'version', { value: 'v20.19.2' });";
  const { status, stderr } = spawnSync(process.execPath, [`--import=${old}`, command, 'start'], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.equal(
    stderr,
    'Countersign needs Node.js 22.18 or newer and this is v20.19.2: install one, or run an image of the container\n',
  );
});

test('beside a package, optional packages are installed without a folder of their own', () => {
  const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const said = `npm install --ignore-scripts pkcs11js@${peerDependencies.pkcs11js} && npm rebuild --ignore-scripts=false pkcs11js`;
  assert.equal(installCommand('pkcs11js', true), said);
});

/** Nothing here waits for ever, on a slow machine either. */
const LONGEST_MS = 200_000;

const onlyFull = isFull ? false : 'it installs the package, which only --full does';

test('equal sources give equal bytes, in another folder and with another umask', { skip: onlyFull }, () => {
  const program = `const { stage, packed } = await import(${JSON.stringify(join(ROOT, 'scripts/package/make.ts'))});
    await stage(${JSON.stringify(ROOT)}, 'again'); packed('again', process.cwd());`;
  const at = join(folder, 'other');
  mkdirSync(at);
  execFileSync('sh', ['-c', 'umask 077 && exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', program], {
    cwd: at,
    timeout: LONGEST_MS,
  });
  assert.deepEqual(readFileSync(join(at, made.filename)), readFileSync(join(folder, made.filename)));
});

test('the installed package starts, signs for a published client, answers commands and stops', { skip: onlyFull }, async (t) => {
  const site = join(folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'package.json'), '{ "private": true }');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  execFileSync('npm', ['install', ...options, join(folder, made.filename)], { cwd: site, stdio: 'pipe', timeout: LONGEST_MS });
  const port = await freePort();
  const env = { PATH: process.env.PATH, HOME: folder, DATA_DIR: join(site, 'data'), PORT: `${port}` };
  const run = (...args: string[]) =>
    execFileSync('npx', ['countersign', ...args], { cwd: site, env, encoding: 'utf8', timeout: LONGEST_MS });
  const child = spawn('npx', ['countersign', 'start'], { cwd: site, env, stdio: ['ignore', 'pipe', 'pipe'] });
  guard(child);
  // The service ends with npm.
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const exited = new Promise((done) => child.once('close', done));
  const url = `http://127.0.0.1:${port}`;
  await waitFor('the service', async () => child.exitCode !== null || (await fetch(`${url}/ready`).catch(() => undefined))?.ok);
  assert.equal(child.exitCode, null, output);

  const root = JSON.parse(readFileSync(join(env.DATA_DIR, 'root-credentials.json'), 'utf8'));
  const client = new Turnkey({
    apiBaseUrl: url,
    apiPublicKey: root.apiPublicKey,
    apiPrivateKey: root.apiPrivateKey,
    defaultOrganizationId: root.organizationId,
  }).apiClient();
  const wallet = await client.createWallet({
    walletName: 'First',
    accounts: [
      {
        curve: 'CURVE_SECP256K1',
        pathFormat: 'PATH_FORMAT_BIP32',
        path: "m/44'/60'/0'/0/0",
        addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
      },
    ],
  });
  const signed = await client.signRawPayload({
    signWith: wallet.addresses[0]!,
    payload: '00'.repeat(32),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  });
  assert.match(signed.r, /^[0-9a-f]{64}$/);
  assert.match(await (await fetch(`${url}/docs/api/signing`)).text(), /id="sign_raw_payload"/);
  assert.match((await fetch(`${url}/frames/export`)).headers.get('content-type')!, /html/);
  const [, script] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(await (await fetch(`${url}/console/`)).text())!;
  assert.match((await fetch(url + script)).headers.get('content-type')!, /javascript/);

  assert.match(run('query', 'whoami'), new RegExp(root.userId));
  assert.match(run('policy', '--help'), /^Usage: countersign policy/);
  assert.ok(!run('help').includes('./countersign'));
  assert.match(run('doctor'), /root key {2}the root key \(file\) opens the database/);
  assert.match(output, /"runs":"bundle"/);
  await waitFor('the check in a process of its own', () => output.includes('the database file was checked, and is not damaged'));
  child.kill('SIGTERM');
  await exited;
  assert.match(output, /"msg":"stopping"/);
});
