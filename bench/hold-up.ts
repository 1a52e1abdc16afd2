/**
 * `npm run stress`: can a client hold the service up, without a stamp or by not reading? Attacks the real process on a
 * throw-away folder, and asks /health meanwhile as another client. Exits 1 if an answer was slow, or the process took too much
 * memory or kept descriptors.
 *
 *   --json  the figures as JSON
 */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { BOUNDS } from '../src/http/connections.ts';
import { startProcess } from '../tests/support/process.ts';
import type { Attack, Attacked } from './attacks.ts';
import { fill } from './growth-data.ts';
import { type Credentials, readCredentials, stamper } from './stamp.ts';

const HELP = `usage: npm run stress -- [--json]

Attacks a throw-away instance as a client without a stamp can. It sends pipelined requests, wrong bodies, and endless bodies in small chunks. It keeps refused or silent connections open, and polls /metrics. Connections with chunks of one byte are
made anew whenever the service closes them. Then as users with a stamp can: they ask for a list of 100,000 wallets and do not read it. Prints the worst latency of /health meanwhile, the memory, and the connections left afterwards. Exits 1 if one of them is beyond its bound. Needs Linux.
`;

const WORST_MS = 1500;
const PEAK_MB = 400;
const AFTER_MS = 5000;
const PIPELINES = { connections: 20, requests: 1000 };
/** Together 3,000. */
const WRONG = { connections: 3, requests: 1000, path: '/public/v1/submit/create_user_tag' };
const TRICKLING = { connections: 40, path: '/public/v1/query/whoami', ms: 10_000 };
const UNFINISHED = { connections: 100, path: '/public/v1/query/whoami', bytes: 1_000_000, chunk: 64 };
const UNREAD = { connections: 500, wallets: 100_000 };
/** Beside the peak of the other attacks: mostly what V8 has not collected yet. */
const UNREAD_MB = 550;
const UNREAD_AFTER_MB = 250;
/** V8 gives memory back when it has been idle for some seconds. */
const COLLECTED_WITHIN_MS = 30_000;
const PATHS = [
  '/',
  '/docs',
  '/openapi.json',
  '/console/style.css',
  '/console/status.js',
  '/public/v1/discovery/keys',
  '/metrics',
];

const sockets = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;

const megabytes = (pid: number, what: 'VmHWM' | 'VmRSS'): number =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
const peakMb = (pid: number): number => megabytes(pid, 'VmHWM');

/** Asks again and again, each time over a new connection. A request without an answer counts for as long as it waits. */
function watch(port: number): { worst(): number; asked(): number; failed(): number; stop(): Promise<void> } {
  let [worst, asked, failed] = [0, 0, 0];
  let going = true;
  const ask = () =>
    new Promise<void>((done) => {
      const started = performance.now();
      const end = () => {
        worst = Math.max(worst, performance.now() - started);
        done();
      };
      const request = get({ port, host: '127.0.0.1', path: '/health', agent: false, timeout: 60_000 }, (answer) => {
        if (answer.statusCode !== 200) failed += 1;
        answer.resume().once('end', end);
      });
      request.once('timeout', () => request.destroy(new Error('no answer')));
      request.once('error', () => {
        failed += 1;
        end();
      });
    });
  const ended = (async () => {
    for (; going; await sleep(5)) {
      await ask();
      asked += 1;
    }
  })();
  return {
    worst: () => worst,
    asked: () => asked,
    failed: () => failed,
    stop() {
      going = false;
      return ended;
    },
  };
}

type Figure = { figure: string; value: number; unit: string; bound: number };

type Attacks = { pid: number; attack(what: Attack): Promise<number>; say(text: string): void };

/** The service on a folder, and the attackers on their thread. */
async function attacked(folder: string, say: Attacks['say'], work: (on: Attacks & { port: number }) => Promise<Figure[]>) {
  const service = await startProcess({ DATA_DIR: folder, LOG_LEVEL: 'fatal' });
  const port = Number(new URL(service.url).port);
  const attackers = new Worker(new URL('attacks.ts', import.meta.url), { workerData: { port } });
  const attack = (what: Attack) =>
    new Promise<number>((done, fail) => {
      attackers.once('message', ({ answers }: Attacked) => done(answers));
      attackers.removeAllListeners('error').once('error', fail);
      attackers.postMessage(what);
    });
  try {
    await service.ready();
    await sleep(1000);
    return await work({ pid: service.child.pid!, port, attack, say });
  } finally {
    await attackers.terminate();
    service.child.kill('SIGKILL');
    await service.exited;
  }
}

async function withoutStamp({ pid, port, attack, say }: Attacks & { port: number }): Promise<Figure[]> {
  const before = sockets(pid);
  const health = watch(port);
  say(`at rest: memory ${Math.round(peakMb(pid))} MB`);
  await attack({ name: 'silent', connections: 200 });
  const silentAt = performance.now();
  await attack({ name: 'refused', connections: 50 });
  await attack({ name: 'polling', connections: 20, path: '/metrics' });
  const soFar = () => `/health at worst ${Math.round(health.worst())} ms, memory ${Math.round(peakMb(pid))} MB so far`;
  for (const path of PATHS) {
    const started = performance.now();
    const answers = await attack({ name: 'pipelined', ...PIPELINES, path });
    say(`${path}: ${answers} answers in ${Math.round(performance.now() - started)} ms; ${soFar()}`);
  }
  const wrong = await attack({ name: 'wrong', ...WRONG });
  say(`wrong bodies: ${wrong} of ${WRONG.connections * WRONG.requests} refused; ${soFar()}`);
  const dialled = await attack({ name: 'trickling', ...TRICKLING });
  say(`chunks of one byte: ${dialled} connections; ${soFar()}`);
  const refusals = await attack({ name: 'unfinished', ...UNFINISHED });
  say(`unfinished bodies: ${refusals} of ${UNFINISHED.connections} refused; ${soFar()}`);
  // Long enough to see the polling clients alone.
  await sleep(2000);
  const polled = await attack({ name: 'stop polling' });
  say(`/metrics polled ${polled} times; /health asked ${health.asked()} times`);
  await health.stop();
  await sleep(AFTER_MS);
  const left = sockets(pid) - before;
  const silentFor = performance.now() - silentAt;
  const timeOut = BOUNDS.headersMs + 2000;
  if (silentFor < timeOut) await sleep(timeOut - silentFor);
  const leftAtLast = sockets(pid) - before;
  return [
    { figure: 'worst latency of /health', value: Math.round(health.worst()), unit: 'ms', bound: WORST_MS },
    { figure: '/health not answered', value: health.failed(), unit: '', bound: 0 },
    { figure: 'peak resident memory', value: Math.round(peakMb(pid)), unit: 'MB', bound: PEAK_MB },
    { figure: 'connections left after 5 s', value: left, unit: '', bound: silentFor < timeOut ? 200 : 0 },
    { figure: 'connections left after the time-out of silent ones', value: leftAtLast, unit: '', bound: 0 },
  ];
}

function listRequest(root: Credentials): string {
  const body = JSON.stringify({ organizationId: root.organizationId });
  const stamp = stamper(root)(Buffer.from(body));
  const head = `POST /public/v1/query/list_wallets HTTP/1.1\r\nHost: x\r\nX-Stamp: ${stamp}`;
  return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

async function withoutReading({ pid, port, attack, say }: Attacks & { port: number }, root: Credentials): Promise<Figure[]> {
  const before = sockets(pid);
  const health = watch(port);
  say(`at rest with ${UNREAD.wallets} wallets: memory ${Math.round(megabytes(pid, 'VmRSS'))} MB`);
  const answers = await attack({ name: 'unread', connections: UNREAD.connections, request: listRequest(root) });
  // Until the kernel takes no more, and the service waits for the clients.
  for (let last = -1; last !== Math.round(peakMb(pid)); await sleep(3000)) last = Math.round(peakMb(pid));
  const waiting = sockets(pid) - before;
  const held = Math.round(megabytes(pid, 'VmRSS'));
  say(`unread lists: ${answers} answers began, ${waiting} connections wait; memory ${held} MB`);
  await attack({ name: 'go away' });
  await health.stop();
  const deadline = performance.now() + COLLECTED_WITHIN_MS;
  while (megabytes(pid, 'VmRSS') > UNREAD_AFTER_MB && performance.now() < deadline) await sleep(1000);
  return [
    { figure: 'worst latency of /health beside unread lists', value: Math.round(health.worst()), unit: 'ms', bound: WORST_MS },
    { figure: '/health not answered beside unread lists', value: health.failed(), unit: '', bound: 0 },
    { figure: 'peak resident memory with unread lists', value: Math.round(peakMb(pid)), unit: 'MB', bound: UNREAD_MB },
    {
      figure: 'resident memory after unread lists',
      value: Math.round(megabytes(pid, 'VmRSS')),
      unit: 'MB',
      bound: UNREAD_AFTER_MB,
    },
    { figure: 'connections left of unread lists', value: sockets(pid) - before, unit: '', bound: 0 },
  ];
}

async function measure(say: (text: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-stress-'));
  try {
    const figures = await attacked(folder, say, withoutStamp);
    const root = readCredentials(join(folder, 'root-credentials.json'));
    const scale = { activities: 0, subOrganizations: 0, users: 0, policies: 0, wallets: UNREAD.wallets };
    await fill({ folder, databaseUrl: undefined }, root.organizationId, scale, () => {});
    return [...figures, ...(await attacked(folder, say, (on) => withoutReading(on, root)))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (process.platform !== 'linux') throw new Error('this reads /proc, which only Linux has');
  const figures = await measure((text) => process.stderr.write(`${text}\n`));
  const beyond = figures.filter(({ value, bound }) => value > bound);
  if (values.json) process.stdout.write(`${JSON.stringify({ ok: beyond.length === 0, figures })}\n`);
  else
    for (const { figure, value, unit, bound } of figures)
      process.stdout.write(
        `${value > bound ? 'FAIL' : 'ok  '} ${figure}: ${value} ${unit}`.trimEnd().concat(` (at most ${bound})\n`),
      );
  return beyond.length === 0 ? 0 : 1;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    process.stderr.write(`npm run stress: ${error.message}\n`);
    process.exitCode = 2;
  },
);
