/**
 * `npm run stress`: can somebody without a stamp hold the service up? Attacks the real process on a throw-away folder, asks
 * /health as another client all the while, and exits 1 if it was ever slow, took too much memory or kept descriptors.
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

const HELP = `usage: npm run stress -- [--json]

Attacks a throw-away instance as a client without a stamp can: pipelined requests, connections that are refused or silent
and stay open, large bodies in small chunks that never end, clients that poll /metrics. Prints the worst latency of /health
meanwhile, the peak memory, and the connections left afterwards; exits 1 if one of them is beyond its bound. Needs Linux.
`;

const WORST_MS = 1500;
const PEAK_MB = 400;
const AFTER_MS = 5000;
const PIPELINES = { connections: 20, requests: 1000 };
const UNFINISHED = { connections: 100, path: '/public/v1/query/whoami', bytes: 1_000_000, chunk: 64 };
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

const peakMb = (pid: number): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

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

async function measure(say: (text: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-stress-'));
  const service = await startProcess({ DATA_DIR: folder, LOG_LEVEL: 'fatal' });
  const port = Number(new URL(service.url).port);
  const pid = service.child.pid!;
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
    const before = sockets(pid);
    const health = watch(port);
    say(`at rest: memory ${Math.round(peakMb(pid))} MB`);
    await attack({ name: 'silent', connections: 200 });
    const silentAt = performance.now();
    await attack({ name: 'refused', connections: 50 });
    await attack({ name: 'polling', connections: 20, path: '/metrics' });
    for (const path of PATHS) {
      const started = performance.now();
      const answers = await attack({ name: 'pipelined', ...PIPELINES, path });
      const took = Math.round(performance.now() - started);
      say(
        `${path}: ${answers} answers in ${took} ms; /health at worst ${Math.round(health.worst())} ms, memory ${Math.round(peakMb(pid))} MB so far`,
      );
    }
    const refusals = await attack({ name: 'unfinished', ...UNFINISHED });
    say(
      `unfinished bodies: ${refusals} of ${UNFINISHED.connections} refused; /health at worst ${Math.round(health.worst())} ms, memory ${Math.round(peakMb(pid))} MB so far`,
    );
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
  } finally {
    await attackers.terminate();
    service.child.kill('SIGKILL');
    await service.exited;
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
