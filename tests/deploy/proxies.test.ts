import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeFrames } from '../../scripts/bundle-frames.ts';
import { BESIDE, put, ROOT } from '../../scripts/bundle-place.ts';
import { clientOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { openStream } from '../support/streams.ts';
import { waitFor } from '../support/wait.ts';
import { behind, isMissing, proxies } from './proxy-support.ts';

let folder: string;
let service: ServiceProcess;
let frames: number;
/** No process listens there, as while one restarts. */
let closed: number;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-proxies-'));
  await makeFrames(ROOT, BESIDE, put);
  frames = await freePort();
  service = await startProcess({
    ...{ DATA_DIR: join(folder, 'data'), TRUSTED_PROXIES: '127.0.0.1,::1', LOG_LEVEL: 'info' },
    ...{ HOST: '127.0.0.1', BASE_URL: 'https://sign.example.com', FRAMES_PORT: String(frames) },
    ...{ FRAMES_URL: 'https://frames.example.net', FRAMES_ALLOWED_ORIGINS: 'https://app.example.com' },
  });
  await service.ready();
  closed = await freePort();
});
after(async () => {
  service.child.kill('SIGTERM');
  await service.exited;
  rmSync(folder, { recursive: true, force: true });
});

/** As a browser asks that found the name of the frames at this address. */
async function framesAt(url: string, path: string): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get(url + path, { headers: { host: `frames.example.net:${new URL(url).port}` } }, resolve).once('error', reject),
  );
  return answer.resume();
}

for (const name of proxies) {
  test(`requests and streams pass ${name} while one of two processes is down`, { skip: isMissing(name) }, async () => {
    const port = await freePort();
    const ports = [Number(new URL(service.url).port), closed] as const;
    await behind(name, { folder, port, ports, frames: [frames, closed] }, async (url) => {
      const root = service.root();
      const client = clientOf(url, root.keys, root.organizationId);
      for (let i = 0; i < 20; i++) assert.equal((await client.query('whoami')).status, 200);
      for (const path of ['/metrics', '/dev/outbox']) assert.equal((await fetch(url + path)).status, 404, path);
      for (const path of ['/frames/export', '/frames/export.js']) {
        assert.equal((await fetch(url + path)).status, 404, 'frames have a name of their own');
        for (let i = 0; i < 4; i++) {
          const { statusCode, headers } = await framesAt(url, path);
          assert.equal(statusCode, 200, path);
          assert.match(String(headers['content-security-policy']), /; frame-ancestors https:\/\/app\.example\.com$/);
        }
      }
      for (const path of ['/', '/public/v1/query/whoami', '/metrics', '/ready'])
        assert.equal((await framesAt(url, path)).statusCode, 404, path);
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
