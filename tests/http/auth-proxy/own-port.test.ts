import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig, withoutSecrets } from '../../../src/config.ts';
import { enabledProxy } from '../../support/auth-proxy.ts';
import { post } from '../../support/client.ts';
import { freePort } from '../../support/free-port.ts';
import { startProcess } from '../../support/process.ts';

test('with AUTH_PROXY_PORT the proxy is there and only there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-proxy-port-'));
  const port = await freePort();
  const service = await startProcess({ DATA_DIR: folder, HOST: '127.0.0.1', AUTH_PROXY_PORT: String(port) });
  await service.ready();
  const own = `http://127.0.0.1:${port}`;
  await service.shows(new RegExp(`auth proxy {4}http://localhost:${port}\n`));
  const proxy = await enabledProxy(service.root(), {}, own);
  const answer = await proxy.ask('wallet_kit_config');
  assert.equal(answer.status, 200, answer.text);
  const elsewhere = await post(`${service.url}/v1/wallet_kit_config`, '{}', { 'x-auth-proxy-config-id': proxy.configId });
  assert.equal(elsewhere.status, 404);
  assert.match(elsewhere.body.message, /the auth proxy has its own port on this service, which AUTH_PROXY_PORT names/);
  for (const path of ['/health', '/ready']) assert.equal((await fetch(own + path)).status, 200, path);
  for (const path of ['/', '/docs', '/metrics', '/dev/outbox', '/openapi.json'])
    assert.equal((await fetch(own + path)).status, 404);
  const operation = await post(`${own}/public/v1/query/whoami`, '{}');
  assert.deepEqual([operation.status, operation.body.message], [404, 'no such path: this port serves only the auth proxy']);
  const preflight = await fetch(`${own}/v1/account`, { method: 'OPTIONS', headers: { origin: 'https://app.example.com' } });
  assert.equal(preflight.status, 204);
  const second = await startProcess({ DATA_DIR: `${folder}-other`, HOST: '127.0.0.1', AUTH_PROXY_PORT: String(port) });
  assert.equal(await second.exited, 1);
  assert.match(second.output(), /AUTH_PROXY_PORT \d+ is in use on AUTH_PROXY_HOST 127\.0\.0\.1/);
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
  rmSync(folder, { recursive: true, force: true });
});

test('where the proxy is is shown, and half a setting is refused', () => {
  const shown = withoutSecrets(readConfig({ HOST: '0.0.0.0', AUTH_PROXY_PORT: '8443', AUTH_PROXY_HOST: '127.0.0.1' }));
  assert.deepEqual([shown.AUTH_PROXY_HOST, shown.AUTH_PROXY_PORT], ['127.0.0.1', 8443]);
  assert.match(String(withoutSecrets(readConfig({})).AUTH_PROXY_PORT), /unset/);
  assert.deepEqual(readConfig({ AUTH_PROXY_PORT: '0' }).authProxy, { host: 'localhost', port: 0 });
  for (const [env, text] of [
    [{ AUTH_PROXY_PORT: '8080' }, 'AUTH_PROXY_PORT must differ from PORT, which is 8080'],
    [{ AUTH_PROXY_PORT: '9090', METRICS_PORT: '9090' }, 'AUTH_PROXY_PORT must differ from METRICS_PORT, which is 9090'],
    [{ AUTH_PROXY_HOST: '::1' }, 'AUTH_PROXY_HOST needs AUTH_PROXY_PORT: without it, the auth proxy is on PORT'],
  ] as const)
    assert.throws(() => readConfig(env), new ConfigError(text));
});
