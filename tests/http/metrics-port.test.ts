import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig, withoutSecrets } from '../../src/config.ts';
import { freePort } from '../support/free-port.ts';
import { startProcess } from '../support/process.ts';
import { get, raw } from './raw.ts';

test('with METRICS_PORT the metrics are there and only there, under the same bounds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-metrics-'));
  const port = await freePort();
  const service = await startProcess({ DATA_DIR: folder, METRICS_PORT: String(port), CONSOLE: 'off' });
  await service.ready();
  const own = `http://127.0.0.1:${port}`;
  const page = await fetch(`${own}/metrics`);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-type') ?? '', /^text\/plain; version=/);
  assert.match(await page.text(), /countersign_http_request_seconds/);
  assert.equal((await fetch(`${service.url}/metrics`)).status, 404);
  const start = await (await fetch(service.url)).text();
  assert.match(start, /href="\/docs"/);
  assert.doesNotMatch(start, /metrics/i, 'no link to what is not there');
  assert.equal((await fetch(`${own}/health`)).status, 404);
  assert.equal((await fetch(`${own}/metrics`, { method: 'POST' })).status, 404);
  const head = await fetch(`${own}/metrics`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  const { closed, text } = await raw(own, get('/metrics').repeat(1000), (said) => said.split('HTTP/1.1 200').length > 17);
  assert.ok(closed && text.split('HTTP/1.1 200').length <= 17);
  const second = await startProcess({ DATA_DIR: `${folder}-other`, METRICS_PORT: String(port) });
  assert.equal(await second.exited, 1);
  assert.match(second.output(), /METRICS_PORT \d+ is in use on METRICS_HOST 127\.0\.0\.1/);
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
  rmSync(folder, { recursive: true, force: true });
});

test('where the metrics are is shown, and half a setting is refused', () => {
  const shown = withoutSecrets(
    readConfig({ HOST: '0.0.0.0', METRICS_PORT: '9090', METRICS_HOST: '127.0.0.1', TRUSTED_PROXIES: '10.1.2.3/8, ::1' }),
  );
  assert.deepEqual(
    [shown.METRICS_HOST, shown.METRICS_PORT, shown.MAX_CONNECTIONS, shown.TRUSTED_PROXIES],
    ['127.0.0.1', 9090, 1000, '10.0.0.0/8,::1/128'],
  );
  assert.deepEqual(readConfig({ HOST: '::1', METRICS_PORT: '9090' }).metrics, { host: '::1', port: 9090 });
  assert.throws(() => readConfig({ METRICS_PORT: '8080' }), new ConfigError('METRICS_PORT must differ from PORT, which is 8080'));
  assert.throws(() => readConfig({ METRICS_HOST: '127.0.0.1' }), /METRICS_HOST needs METRICS_PORT/);
  assert.throws(() => readConfig({ MAX_CONNECTIONS: '0' }), /MAX_CONNECTIONS must be a whole number from 1/);
});
