import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { everythingIn, node, SCRIPTS, temporaryFolder, write } from './setup.ts';

const folder = temporaryFolder();
const NAME = 'node-of-a-test';

/** An archive of a package whose binary leaves a mark when it runs. */
function archive(version: string, says = `v${version}`): Buffer {
  const home = mkdtempSync(join(folder, 'archive-'));
  write(join(home, 'package/package.json'), JSON.stringify({ name: NAME, version, bin: { node: 'bin/node' } }));
  write(join(home, 'package/bin/node'), `#!/bin/sh\ntouch ${folder}/ran-${says}\necho ${says}\n`);
  assert.equal(spawnSync('chmod', ['+x', join(home, 'package/bin/node')]).status, 0);
  assert.equal(spawnSync('tar', ['-czf', join(home, 'it.tgz'), '-C', home, 'package']).status, 0);
  return readFileSync(join(home, 'it.tgz'));
}

const hashOf = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
const served = new Map(['1.2.3', '1.2.4'].map((version) => [version, archive(version)]));
served.set('1.2.5', archive('1.2.5', 'something-else'));

/** A registry that serves these archives, and the hashes of them. */
const registry = createServer((request, response) => {
  const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  const tarball = /-([\d.]+)\.tgz$/.exec(request.url ?? '');
  if (tarball) return response.end(served.get(tarball[1]!));
  const versions = Object.fromEntries(
    [...served].map(([version, bytes]) => [
      version,
      { name: NAME, version, dist: { tarball: `${url}/${NAME}-${version}.tgz`, integrity: hashOf(bytes) } },
    ]),
  );
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest: '1.2.3' }, versions }));
});

before(async () => {
  await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done));
  process.env.npm_config_registry = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  process.env.npm_config_cache = join(folder, 'npm-cache');
});
after(() => {
  registry.close();
  registry.closeAllConnections();
});

test('every package with a Node.js has the sha512 of its archive', () => {
  for (const machine of ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win32-x64']) {
    const [platform, arch] = machine.split('-') as [string, string];
    assert.match(node.binaryPackage(platform, arch)?.integrity ?? '', /^sha512-[A-Za-z0-9+/]{86}==$/, machine);
  }
});

test('an archive with another hash is not run, and what was there stays', { timeout: 120_000 }, async () => {
  const root = mkdtempSync(join(folder, 'root-'));
  mkdirSync(join(root, '.cache'));
  // As `npm start --silent` hands it on.
  process.env.npm_config_loglevel = 'silent';
  const [good, newer] = ['1.2.3', '1.2.4'].map((version) => ({ name: NAME, version, integrity: hashOf(served.get(version)!) }));
  assert.equal(await node.fetchNode(root, good!), join(root, '.runtime/node_modules', NAME, 'bin/node'));
  assert.equal(readFileSync(join(root, '.runtime/version'), 'utf8'), `${NAME}@1.2.3`);
  // Readable for all who may read the checkout: often the service runs as another user.
  assert.equal(statSync(join(root, '.runtime')).mode, statSync(join(root, '.cache')).mode);
  const there = everythingIn(join(root, '.runtime'));
  const changed = { ...newer!, integrity: hashOf(Buffer.from('what was looked at')) };
  await assert.rejects(
    node.fetchNode(root, changed),
    /node-of-a-test@1\.2\.4 .* its sha512 is another\. None of it was kept or run/,
  );
  assert.equal(existsSync(join(folder, 'ran-v1.2.4')), false);
  assert.deepEqual(everythingIn(join(root, '.runtime')), there);
  const wrong = { name: NAME, version: '1.2.5', integrity: hashOf(served.get('1.2.5')!) };
  await assert.rejects(node.fetchNode(root, wrong), /does not run on this machine/);
  assert.deepEqual(everythingIn(join(root, '.runtime')), there);
  await node.fetchNode(root, newer!);
  assert.equal(readFileSync(join(root, '.runtime/version'), 'utf8'), `${NAME}@1.2.4`);
  assert.deepEqual(readdirSync(join(root, '.cache')), []);
});

test('under an old Node.js the command line fetches none: it says what to run', () => {
  const root = mkdtempSync(join(folder, 'old-'));
  const old = 'data:text/javascript,Object.defineProperty(process, "version", { value: "v20.20.2" })';
  const code = `
    const { launchInstalled } = await import(${JSON.stringify(join(SCRIPTS, 'runtime.mjs'))});
    await launchInstalled(['-e', '0'], ${JSON.stringify(root)});`;
  const run = () => spawnSync(process.execPath, ['--import', old, '--input-type=module', '-e', code], { encoding: 'utf8' });
  const { status, stderr } = run();
  assert.equal(status, 1);
  assert.match(stderr, /needs Node\.js 22\.18 or newer and this is v20\.20\.2: run `npm start` once/);
  assert.deepEqual(readdirSync(root), []);
  // A Node.js that was fetched for an older version of this program is good enough.
  write(join(root, '.runtime/version'), `${NAME}@22.20.0`);
  assert.match(run().stderr, /run `npm start` once/);
  write(join(root, '.runtime/node_modules', NAME, 'bin/node'), '#!/bin/sh\nexit 9\n');
  spawnSync('chmod', ['+x', join(root, '.runtime/node_modules', NAME, 'bin/node')]);
  assert.equal(run().status, 9);
});

test('where none can be fetched, because this user may not write, that is said in words', () => {
  const root = mkdtempSync(join(folder, 'closed-'));
  // Root may write anywhere, so the refusal is simulated.
  const old = `data:text/javascript,Object.defineProperty(process, "version", { value: "v20.20.2" });
    import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
    fs.mkdirSync = () => { throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" }) };
    syncBuiltinESMExports();`;
  const code = `
    const { launch } = await import(${JSON.stringify(join(SCRIPTS, 'runtime.mjs'))});
    await launch(['-e', '0'], { service: true }, ${JSON.stringify(root)});`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', old, '--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^countersign: .* needs Node\.js 22\.18 or newer .*, and this user may not write to .*: run `npm start` once as one who may/,
  );
});
