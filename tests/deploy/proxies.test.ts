import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { openStream } from '../support/streams.ts';
import { waitFor } from '../support/wait.ts';
import { behind, isMissing, proxies } from './proxy-support.ts';

let folder: string;
let service: ServiceProcess;
/** No process listens there, as while one restarts. */
let closed: number;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-proxies-'));
  service = await startProcess({ DATA_DIR: join(folder, 'data'), TRUSTED_PROXIES: '127.0.0.1,::1', LOG_LEVEL: 'info' });
  await service.ready();
  closed = await freePort();
});
after(async () => {
  service.child.kill('SIGTERM');
  await service.exited;
  rmSync(folder, { recursive: true, force: true });
});

for (const name of proxies) {
  test(`requests and streams pass ${name} while one of two processes is down`, { skip: isMissing(name) }, async () => {
    const port = await freePort();
    await behind(name, { folder, port, ports: [Number(new URL(service.url).port), closed] }, async (url) => {
      const root = service.root();
      const client = clientOf(url, root.keys, root.organizationId);
      for (let i = 0; i < 20; i++) assert.equal((await client.query('whoami')).status, 200);
      for (const path of ['/metrics', '/dev/outbox']) assert.equal((await fetch(url + path)).status, 404, path);
      const stream = await openStream(url, client);
      const made = await client.submit('CREATE_USER_TAG', { userTagName: `by ${name}`, userIds: [] });
      await waitFor('the activity', () => stream.activities().at(-1) === made.body.activity.id);
      stream.close();
      const path = '/public/v1/query/whoami';
      const lied = await fetch(url + path, {
        method: 'POST',
        body: '{}',
        headers: { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' },
      });
      const id = lied.headers.get('x-request-id')!;
      await waitFor('the log', () => service.output().includes(id));
      const line = service
        .output()
        .split('\n')
        .find((one) => one.includes(id))!;
      assert.match(line, /"remoteAddress":"127\.0\.0\.1"/);
    });
  });
}
