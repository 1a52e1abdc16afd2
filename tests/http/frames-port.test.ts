import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { makeFrames } from '../../scripts/bundle-frames.ts';
import { BESIDE, put, ROOT } from '../../scripts/bundle-place.ts';
import { temporaryFolder } from '../scripts/setup.ts';
import { post } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { startProcess } from '../support/process.ts';

before(() => makeFrames(ROOT, BESIDE, put));

const SEPARATE = {
  HOST: '127.0.0.1',
  BASE_URL: 'https://sign.example.com',
  FRAMES_URL: 'https://frames.example.net',
  FRAMES_ALLOWED_ORIGINS: 'https://app.example.com',
};

test('with FRAMES_PORT frames are there and only there, and nothing else is', async () => {
  const port = await freePort();
  const service = await startProcess({ DATA_DIR: temporaryFolder(), ...SEPARATE, FRAMES_PORT: String(port) });
  await service.ready();
  await service.shows(/frames {8}https:\/\/frames\.example\.net\/frames\//);
  const own = `http://127.0.0.1:${port}`;
  for (const path of ['/health', '/ready', '/frames/export', '/frames/export.js', '/frames/recovery', '/frames/frames.css'])
    assert.equal((await fetch(own + path)).status, 200, path);
  const others = ['/', '/docs', '/metrics', '/openapi.json', '/frames/sign', '/public/v1/discovery/webhooks/jwks'];
  for (const path of [...others, '/public/v1/discovery/keys', '/dev/outbox'])
    assert.equal((await fetch(own + path)).status, 404, path);
  for (const path of ['/public/v1/query/whoami', '/v1/account']) {
    const answer = await post(own + path, '{}');
    assert.deepEqual([answer.status, answer.body.message], [404, 'no such path: this port serves only frames']);
  }
  const elsewhere = await fetch(`${service.url}/frames/export`);
  assert.equal(elsewhere.status, 404);
  assert.match(await elsewhere.text(), /have their own port on this service/);
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
});

test('a domain of verifiable apps beside that of the frames is refused at the start', async () => {
  const apps = { APPS_SOCKET: `${temporaryFolder()}/apps.sock`, APPS_DOMAIN: 'apps.example.net' };
  const service = await startProcess({ DATA_DIR: temporaryFolder(), ...SEPARATE, FRAMES_PORT: '0', ...apps });
  assert.notEqual(await service.exited, 0);
  assert.match(service.output(), /shares the registrable domain example\.net with frames\.example\.net, the host of FRAMES_URL/);
});
