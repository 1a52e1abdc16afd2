import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { sharedInstance } from '../support/instance.ts';
import { openStream } from '../support/streams.ts';
import { waitFor } from '../support/wait.ts';

const skip = spawnSync('nginx', ['-v']).error !== undefined && 'nginx is not installed here';

describe('a stream behind nginx with its defaults', { skip }, async () => {
  const { root, url } = await sharedInstance();
  let folder: string;
  let nginx: ChildProcess | undefined;
  let proxied: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-nginx-'));
    const port = await freePort();
    proxied = `http://127.0.0.1:${port}`;
    const config = `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
      events {}
      http { access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
        server { listen 127.0.0.1:${port}; location / { proxy_pass ${url}; } } }`;
    writeFileSync(join(folder, 'nginx.conf'), config);
    nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', 'stderr'], { stdio: 'ignore' });
    await waitFor('nginx', async () => (await fetch(`${proxied}/health`).catch(() => undefined))?.status === 200);
  });
  after(async () => {
    const ended = new Promise((resolve) => nginx?.once('exit', resolve));
    if (nginx?.kill('SIGTERM')) await ended;
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  test('each message passes at once, and a resumed stream goes on', async () => {
    const act = async () =>
      (await root.submit('CREATE_USER_TAG', { userTagName: `tag ${Math.random()}`, userIds: [] })).body.activity.id;
    const stream = await openStream(proxied, root);
    for (let i = 0; i < 3; i++) {
      const id = await act();
      await waitFor('the activity', () => stream.activities().at(-1) === id);
    }
    stream.close();
    const id = await act();
    const resumed = await openStream(proxied, root, { lastId: stream.lastId() });
    await resumed.message('activity');
    assert.deepEqual(resumed.activities(), [id]);
    resumed.close();
  });
});
