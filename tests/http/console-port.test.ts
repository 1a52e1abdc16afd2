import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { temporaryFolder } from '../scripts/setup.ts';
import { post } from '../support/client.ts';
import { buildConsoleOnce, noConsole } from '../support/console.ts';
import { freePort } from '../support/free-port.ts';
import { startProcess } from '../support/process.ts';

before(buildConsoleOnce);

const SEPARATE = { HOST: '127.0.0.1', BASE_URL: 'https://sign.example.com', CONSOLE_URL: 'https://console.sign.example.com' };

test('with CONSOLE_PORT the console is there and only there, and nothing else is', { skip: noConsole }, async () => {
  const port = await freePort();
  const service = await startProcess({ DATA_DIR: temporaryFolder(), ...SEPARATE, CONSOLE_PORT: `${port}` });
  await service.ready();
  await service.shows(/console {7}https:\/\/console\.sign\.example\.com\/console\/\n/);
  const own = `http://127.0.0.1:${port}`;
  for (const path of ['/health', '/ready', '/console/', '/console/approvals', '/', '/console/sha256sums.txt'])
    assert.equal((await fetch(own + path)).status, 200, path);
  const page = await fetch(`${own}/console/`);
  assert.match(page.headers.get('content-security-policy')!, /; connect-src 'self' https:\/\/sign\.example\.com; /);
  assert.deepEqual(await (await fetch(`${own}/console/service.json`)).json(), {
    url: 'https://sign.example.com',
    elsewhere: true,
  });
  for (const path of ['/docs', '/metrics', '/openapi.json', '/frames/export', '/accept-invitation', '/dev/outbox'])
    assert.equal((await fetch(own + path)).status, 404, path);
  for (const path of ['/public/v1/query/whoami', '/v1/account']) {
    const answer = await post(own + path, '{}');
    assert.deepEqual([answer.status, answer.body.message], [404, 'no such path: this port serves only the console']);
  }
  const elsewhere = await fetch(`${service.url}/console/`);
  assert.equal(elsewhere.status, 404);
  assert.match(await elsewhere.text(), /has its own port on this service: see CONSOLE and CONSOLE_PORT/);
  const home = await fetch(`${service.url}/`, { redirect: 'manual' });
  assert.deepEqual([home.status, home.headers.get('location')], [302, 'https://console.sign.example.com/console/']);
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
});

test('a domain of verifiable apps below that of the console is refused at the start', async () => {
  const apps = { APPS_SOCKET: `${temporaryFolder()}/apps.sock`, APPS_DOMAIN: 'apps.console.sign.example.com' };
  const service = await startProcess({ DATA_DIR: temporaryFolder(), ...SEPARATE, CONSOLE_PORT: `${await freePort()}`, ...apps });
  assert.notEqual(await service.exited, 0);
  assert.match(service.output(), /APPS_DOMAIN apps\.console\.sign\.example\.com is below/);
});
