import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { openStream } from '../support/streams.ts';
import { waitFor } from '../support/wait.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
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

/** The example, with one of its two processes stopped. */
const toThisService = (text: string) =>
  text
    .replaceAll('127.0.0.1:8081', new URL(service.url).host.replace('localhost', '127.0.0.1'))
    .replaceAll('127.0.0.1:8082', `127.0.0.1:${closed}`);

const nginxText = (port: number) => {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  const example = toThisService(readFileSync(join(DEPLOY, 'nginx/countersign.conf'), 'utf8'))
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_.*$/gm, '');
  return `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
    http { access_log off; ${temporary.join(' ')} ${example} }`;
};
const caddyText = (port: number) =>
  `{\n\tadmin off\n\tauto_https off\n}\n${toThisService(readFileSync(join(DEPLOY, 'caddy/Caddyfile'), 'utf8')).replace(/^sign\.example\.com \{/m, `http://127.0.0.1:${port} {`)}`;

const proxies = [
  ['nginx', ['-c', 'CONFIG', '-p', 'FOLDER', '-e', 'stderr'], nginxText],
  ['caddy', ['run', '--config', 'CONFIG', '--adapter', 'caddyfile'], caddyText],
] as const;

async function behind(name: string, args: readonly string[], text: string, port: number, use: (url: string) => Promise<void>) {
  const config = join(folder, `${name}.conf`);
  writeFileSync(config, text);
  const given = args.map((arg) => arg.replace('CONFIG', config).replace('FOLDER', folder));
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const proxy: ChildProcess = spawn(name, given, { stdio: 'ignore', env });
  const ended = new Promise((resolve) => proxy.once('exit', resolve));
  try {
    const url = `http://127.0.0.1:${port}`;
    await waitFor(name, async () => (await fetch(`${url}/health`).catch(() => undefined))?.status === 200);
    await use(url);
  } finally {
    if (proxy.kill('SIGKILL')) await ended;
  }
}

for (const [name, args, textOf] of proxies) {
  const skip = spawnSync(name, ['version'], { stdio: 'ignore' }).error !== undefined && `${name} is not installed here`;
  test(`requests and streams pass ${name} while one of two processes is down`, { skip }, async () => {
    const port = await freePort();
    await behind(name, args, textOf(port), port, async (url) => {
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
