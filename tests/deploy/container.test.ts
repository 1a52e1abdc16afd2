/** The image of the container, built from this checkout. It is run with a read-only root, without rights, as a user of no name. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientOf, ethereumAccount, resultOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { isFull } from '../support/full.ts';
import { guard } from '../support/guard.ts';
import { waitFor } from '../support/wait.ts';
import { bundleOf, imageIn, noContainers } from './container-support.ts';

const MOST_BYTES = 150e6;
const skip = isFull ? noContainers() : 'it builds an image, which only --full does';

test('the image runs, signs, writes nowhere but to DATA_DIR, and stops on SIGTERM', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-container-'));
  const name = `countersign-${process.pid}`;
  const runc = ['--root', join(folder, 'runc')];
  t.after(() => {
    spawnSync('runc', [...runc, 'delete', '--force', name]);
    rmSync(folder, { recursive: true, force: true });
  });
  const image = imageIn(folder);
  image.build();
  const opened = image.opened();
  const { config, rootfs } = opened;
  assert.deepEqual([config.User, config.StopSignal], ['10001:10001', 'SIGTERM']);
  const [bytes] = execFileSync('du', ['--summarize', '--bytes', join(rootfs, 'opt/countersign')], { encoding: 'utf8' }).split(
    '\t',
  );
  t.diagnostic(`our layer has ${Math.round(Number(bytes) / 1e6)} MB`);
  assert.ok(Number(bytes) < MOST_BYTES, bytes);

  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, 10001, 10001);
  const port = await freePort();
  const bundle = join(folder, 'bundle');
  bundleOf(bundle, opened, data, [`PORT=${port}`, 'HOST=127.0.0.1']);
  const service = spawn('runc', [...runc, 'run', '--bundle', bundle, name], { stdio: ['ignore', 'pipe', 'pipe'] });
  guard(service);
  let output = '';
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk) => (output += chunk));
  const exited = new Promise((done) => service.once('close', done));
  const url = `http://127.0.0.1:${port}`;
  await waitFor('the service', async () => {
    assert.equal(service.exitCode, null, output);
    return (await fetch(`${url}/ready`).catch(() => undefined))?.ok;
  });

  const [, script] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(await (await fetch(`${url}/console/`)).text())!;
  assert.match((await fetch(url + script)).headers.get('content-type')!, /javascript/);

  const inside = (...args: string[]) =>
    spawnSync('runc', [...runc, 'exec', '--env', `PORT=${port}`, name, ...args], { encoding: 'utf8', timeout: 60_000 });
  const [, ...check] = config.Healthcheck.Test;
  assert.equal(inside(...check).status, 0, 'the health check');
  for (const path of ['/opt/countersign/x', '/etc/x', '/x']) assert.match(inside('touch', path).stderr, /Read-only file system/);
  assert.match(inside('cat', '/proc/1/status').stdout, /^Uid:\t10001\t10001[\s\S]*^CapEff:\t0+$[\s\S]*^CapBnd:\t0+$/m);
  assert.match(inside('countersign', 'doctor').stdout, /^ok +root key/m);

  const root = JSON.parse(readFileSync(join(data, 'root-credentials.json'), 'utf8'));
  const client = clientOf(url, { publicKey: root.apiPublicKey, privateKey: root.apiPrivateKey }, root.organizationId);
  const made = await client.submit('CREATE_WALLET', { walletName: 'One', accounts: [ethereumAccount()] });
  const [signWith] = resultOf(made, 'createWalletResult').addresses;
  const signed = await client.submit('SIGN_RAW_PAYLOAD_V2', {
    signWith,
    payload: 'hello',
    encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
    hashFunction: 'HASH_FUNCTION_SHA256',
  });
  assert.match(resultOf(signed, 'signRawPayloadResult').r, /^[0-9a-f]{64}$/);

  spawnSync('runc', [...runc, 'kill', name, 'TERM']);
  assert.equal(await exited, 0, output);
  assert.match(output, /"msg":"stopping"/);
});
