/** `npm start` in a clone on a machine that has nothing of it: how long until the console is there? Then a second start, which installs nothing. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../tests/support/free-port.ts';

const ROOT = resolve(import.meta.dirname, '..');
const MOST_MS = 60_000;
const GIVES_UP_MS = 600_000;
const OFTEN_MS = 50;
/** Where the registry is, and the certificates on the way to it. */
const PASSED =
  /^(?:PATH|TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|HTTPS?_PROXY|NO_PROXY|npm_config_registry|npm_config_cafile)$/i;

const folder = mkdtempSync(join(tmpdir(), 'countersign-first-start-'));
const checkout = join(folder, 'checkout');
const PACKAGES = join(checkout, 'node_modules');
const CONSOLE_PACKAGES = join(checkout, 'console/node_modules');
const BUNDLES = join(checkout, '.cache/bundle');

const passed = Object.entries(process.env).filter(([name]) => PASSED.test(name));
const env = { ...Object.fromEntries(passed), HOME: folder, npm_config_cache: join(folder, 'npm') };

const pause = () => new Promise((again) => setTimeout(again, OFTEN_MS));
const has = (name: string) => existsSync(BUNDLES) && readdirSync(BUNDLES).some((file) => file.startsWith(name));
const answers = async (url: string) => (await fetch(url).catch(() => undefined))?.ok === true;

type Phase = readonly [name: string, isDone: (url: string) => boolean | Promise<boolean>];

const PHASES: readonly Phase[] = [
  ['packages of the service', () => existsSync(PACKAGES)],
  ['bundle', () => has('cli.json')],
  ['the service listens', (url) => answers(`${url}/health`)],
  ['packages of the console', () => existsSync(CONSOLE_PACKAGES)],
  ['the console is served', (url) => answers(`${url}/console/`)],
];

/** When each phase was done, in milliseconds after the start. */
async function timed(): Promise<readonly (readonly [string, number])[]> {
  const port = String(await freePort());
  const began = performance.now();
  const child = spawn('npm', ['start'], { cwd: checkout, env: { ...env, PORT: port }, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  const done = new Map<string, number>();
  try {
    while (done.size < PHASES.length) {
      for (const [name, isDone] of PHASES)
        if (!done.has(name) && (await isDone(`http://127.0.0.1:${port}`))) done.set(name, performance.now() - began);
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
      if (performance.now() - began > GIVES_UP_MS) throw new Error(`given up: only ${[...done.keys()].join(', ')}`);
      await pause();
    }
  } finally {
    child.kill('SIGTERM');
    await exited;
    // The service ends after npm.
    while (await answers(`http://127.0.0.1:${port}/health`)) await pause();
  }
  return [...done].sort(([, a], [, b]) => a - b);
}

const folders = () => [PACKAGES, CONSOLE_PACKAGES].map((path) => statSync(path).ino).join();

try {
  execFileSync('git', ['clone', '--quiet', ROOT, checkout], { stdio: 'inherit' });
  const first = await timed();
  const installed = folders();
  const second = await timed();
  const told = (all: typeof first) => all.map(([name, ms]) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${name}`);
  const last = first.at(-1)![1];
  const holds = last <= MOST_MS && folders() === installed;
  if (!holds) process.exitCode = 1;
  process.stdout.write(
    [
      `First start, ${process.version}`,
      ...told(first),
      'Second start',
      ...told(second),
      `${holds ? 'holds' : 'FAILS'}: the console after at most ${MOST_MS / 1000} s, and a second start installs nothing`,
      '',
    ].join('\n'),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
