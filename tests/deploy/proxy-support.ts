/** The examples for proxies, before processes of a test. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../support/wait.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');

type Ports = readonly [number, number];
/** `frames`: as `ports`, of pages that apps embed. */
type Setting = { folder: string; port: number; ports: Ports; frames?: Ports };

const toThese = (text: string, { ports, frames = ports }: Setting) =>
  text.replaceAll(/127\.0\.0\.1:80([89])([12])/g, (_, of, nth) => `127.0.0.1:${(of === '8' ? ports : frames)[nth - 1]}`);
const example = (path: string, setting: Setting) => toThese(readFileSync(join(DEPLOY, path), 'utf8'), setting);

function nginxText(setting: Setting): string {
  const { folder, port } = setting;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  const text = example('nginx/countersign.conf', setting)
    .replaceAll('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_.*$/gm, '');
  return `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
    http { access_log off; ${temporary.join(' ')} ${text} }`;
}
function caddyText(setting: Setting): string {
  const text = example('caddy/Caddyfile', setting)
    .replace('sign.example.com}', `http://127.0.0.1:${setting.port}}`)
    .replace('frames.example.net}', `http://frames.example.net:${setting.port}}`);
  return `{\n\tadmin off\n\tauto_https off\n}\n${text}`;
}

const PROXIES = {
  nginx: { args: ['-c', 'CONFIG', '-p', 'FOLDER', '-e', 'stderr'], textOf: nginxText },
  caddy: { args: ['run', '--config', 'CONFIG', '--adapter', 'caddyfile'], textOf: caddyText },
};
export type Proxy = keyof typeof PROXIES;
export const proxies = Object.keys(PROXIES) as Proxy[];

/** Why its tests are skipped. */
export const isMissing = (name: Proxy): string | false =>
  spawnSync(name, ['version'], { stdio: 'ignore' }).error !== undefined && `${name} is not installed here`;

export async function behind(name: Proxy, setting: Setting, use: (url: string) => Promise<void>): Promise<void> {
  const { folder, port } = setting;
  const { args, textOf } = PROXIES[name];
  const config = join(folder, `${name}.conf`);
  writeFileSync(config, textOf(setting));
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
