/**
 * The load: keep-alive connections with one request in flight each. Every request is made and stamped before the first is sent,
 * so that this process leaves the processor to the servers. Prints one line of JSON.
 *
 *   node bench/load.ts --ports=8080[,8081] --credentials=FILE --sign-with=0x… [--workload=sign_raw_payload]
 *                      [--connections=32] [--warmup=2] [--seconds=3] [--rate=9000] [--pids=1,2]
 *                      [--database=3] [--count=1500] [--list] [--wait]
 *
 * With `--count`, this number of requests is sent, and all are measured, without a warm-up, for any duration. With `--list` it
 * prints a line when the measured time begins, ends it when it gets SIGTERM, and gives the time of each answer. With `--wait`
 * it prints a line when its requests are ready, and sends them at the first byte on its standard input. `--database` is the
 * first process of the database's server. `--rate` is the number of prepared requests per second. If the servers are faster,
 * the measurement ends early and says so.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { cpuSeconds, familySeconds } from './cpu.ts';
import { requestsOf } from './requests.ts';
import { stamper } from './stamp.ts';
import { workloadNamed } from './workloads.ts';

export type Measured = {
  count: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  seconds: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  errors: number;
  firstError?: string;
  /** Requests per second of processor time of the servers; only where /proc tells. */
  requestsPerCpuSecond?: number;
  /** Microseconds of processor time of the database's server for a request. */
  databaseMicroseconds?: number;
  /** The prepared requests ran out before the time did. */
  ranOut?: boolean;
  /** With `--list`: when each was answered, in milliseconds since 1970, and how long it took. */
  answers?: { endedAt: number[]; latency: number[] };
};

const { values: options } = parseArgs({
  options: {
    ports: { type: 'string', default: '8080' },
    credentials: { type: 'string', default: 'data/root-credentials.json' },
    'sign-with': { type: 'string', default: '' },
    workload: { type: 'string', default: 'sign_raw_payload' },
    connections: { type: 'string', default: '32' },
    warmup: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '9000' },
    pids: { type: 'string', default: '' },
    database: { type: 'string' },
    count: { type: 'string' },
    list: { type: 'boolean', default: false },
    wait: { type: 'boolean', default: false },
  },
});

/** The service refuses a timestamp older than an hour, and each request takes a millisecond of its own. */
const MOST = 3_000_000;
/** With `--count`. */
const ALL_WITHIN_MS = 120_000;
const COMPLETED = 'ACTIVITY_STATUS_COMPLETED';
const HEAD_END = '\r\n\r\n';

const warmupMs = Number(options.warmup) * 1000;
const measuredMs = Number(options.seconds) * 1000;
const ports = options.ports.split(',').map(Number);
const pids = options.pids.split(',').filter(Boolean).map(Number);
const workload = workloadNamed(options.workload);
const connections = Number(options.connections);

async function prepare(count: number): Promise<Buffer[]> {
  const requestOf = await requestsOf(workload, options.credentials, options['sign-with']);
  const stampers = new Map<string, ReturnType<typeof stamper>>();
  const now = Date.now();
  return Array.from({ length: count }, (_, i) => {
    const { body, stampedBy } = requestOf(i, now - i);
    const stamp = stampers.get(stampedBy.apiPublicKey) ?? stamper(stampedBy);
    stampers.set(stampedBy.apiPublicKey, stamp);
    const head = [
      `POST ${workload.path} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `X-Stamp: ${stamp(body)}`,
    ].join('\r\n');
    return Buffer.concat([Buffer.from(head + HEAD_END), body]);
  });
}

const all = options.count === undefined ? undefined : Number(options.count);
const enough = Math.ceil(((warmupMs + measuredMs) / 1000) * Number(options.rate)) + connections;
const ready = await prepare(Math.min(MOST, all ?? enough));
let next = 0;
if (options.wait) {
  process.stdout.write('ready\n');
  // If the input ends without a byte, the parent process has died.
  const go = await Promise.race([once(process.stdin, 'data'), once(process.stdin, 'end').then(() => undefined)]);
  if (go === undefined) process.exit(1);
  process.stdin.destroy();
}

const latencies: number[] = [];
const endedAt: number[] = [];
let errors = 0;
let firstError: string | undefined;
const began = performance.now();
type Reading = { at: number; cpu: number | undefined; database: number | undefined };
let measuring: Reading | undefined;
let finished: Reading | undefined;
let asked = false;
if (options.list) process.once('SIGTERM', () => (asked = true));
const isOver = (now: number, since: number) =>
  asked || (all === undefined ? now - since >= measuredMs || next >= ready.length : latencies.length === all);

const reading = (at: number): Reading => ({
  at,
  cpu: cpuSeconds(pids),
  database: options.database === undefined ? undefined : familySeconds(Number(options.database)),
});
if (all !== undefined) measuring = reading(began);

/** An answer came: counts it if it belongs to the measured time, and says whether to go on. */
function answered(status: number, answer: Buffer, sentAt: number): boolean {
  const now = performance.now();
  if (status !== 200 || !answer.includes(COMPLETED)) {
    errors++;
    firstError ??= `${status} ${answer.toString('utf8', answer.indexOf(HEAD_END) + 4).slice(0, 300)}`;
  }
  if (finished !== undefined) return false;
  if (measuring === undefined) {
    // On a faster machine than expected, the warm-up ends early.
    if (now - began < warmupMs && next < ready.length / 2) return true;
    measuring = reading(now);
    if (options.list) process.stdout.write('measuring\n');
  } else {
    latencies.push(now - sentAt);
    if (options.list) endedAt.push(round(performance.timeOrigin + now, 3));
    if (isOver(now, measuring.at)) finished = reading(now);
  }
  return finished === undefined && next < ready.length;
}

function client(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let sentAt = 0;
    let buffered: Buffer | undefined;
    let expected = 0;
    let over = false;
    const send = () => {
      sentAt = performance.now();
      socket.write(ready[next++]!);
    };
    socket.on('connect', send);
    socket.on('data', (chunk: Buffer) => {
      buffered = buffered === undefined ? chunk : Buffer.concat([buffered, chunk]);
      if (expected === 0) {
        const end = buffered.indexOf(HEAD_END);
        if (end < 0) return;
        const length = /\r\ncontent-length: *(\d+)/i.exec(buffered.toString('latin1', 0, end));
        if (length === null) return void socket.destroy(new Error('an answer came without Content-Length'));
        expected = end + HEAD_END.length + Number(length[1]);
      }
      if (buffered.length < expected) return;
      const answer = buffered;
      buffered = undefined;
      expected = 0;
      if (answered(Number(answer.toString('latin1', 9, 12)), answer, sentAt)) return send();
      over = true;
      socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => (over ? resolve() : reject(new Error(`the server on port ${port} closed a connection`))));
  });
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const watchdog = setTimeout(
  () => {
    process.stderr.write('the servers stopped answering\n');
    process.exit(1);
  },
  (all === undefined ? warmupMs + measuredMs : ALL_WITHIN_MS) + 20_000,
);

await Promise.all(Array.from({ length: connections }, (_, i) => client(ports[i % ports.length]!)));
clearTimeout(watchdog);

if (measuring === undefined || finished === undefined) throw new Error('nothing was measured');
const sorted = Float64Array.from(latencies).sort();
const seconds = (finished.at - measuring.at) / 1000;
const cpu = measuring.cpu === undefined || finished.cpu === undefined ? 0 : finished.cpu - measuring.cpu;
const database = finished.database === undefined ? undefined : finished.database - (measuring.database ?? Number.NaN);
const measured: Measured = {
  count: sorted.length,
  startedAt: performance.timeOrigin + measuring.at,
  seconds: round(seconds, 3),
  requestsPerSecond: round(sorted.length / seconds, 1),
  p50Ms: round(percentile(sorted, 0.5), 3),
  p99Ms: round(percentile(sorted, 0.99), 3),
  errors,
  ...(firstError === undefined ? {} : { firstError }),
  ...(cpu > 0 ? { requestsPerCpuSecond: round(sorted.length / cpu, 1) } : {}),
  ...(database === undefined ? {} : { databaseMicroseconds: round((database / sorted.length) * 1e6, 1) }),
  ...(all === undefined && !asked && seconds * 1000 < measuredMs ? { ranOut: true } : {}),
  ...(options.list ? { answers: { endedAt, latency: latencies.map((each) => round(each, 3)) } } : {}),
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
