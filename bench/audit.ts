/**
 * The cost of the record for auditors to signatures, as `--only=audit`. Services sign in turn: one writes no facts, one writes them, and
 * one also ships them to a file. In each round all have their turn, so the ratio of one round is that of a pair. A service catches up
 * with its signatures before the next turn, so only its work beside signatures is measured.
 */
import { randomInt } from 'node:crypto';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { plainSql } from '../tests/support/database.ts';
import type { Measured } from './load.ts';
import { median, medianInterval } from './sending/windows.ts';
import { startService } from './servers.ts';
import { type Contender, measureInTurn, warmUp } from './turns.ts';
import type { Servers } from './types.ts';
import { signRawPayload } from './workloads.ts';

export type AuditFigures = {
  operation: 'sign_raw_payload beside the record';
  engine: 'sqlite' | 'postgres';
  record: string;
  pairs: number;
  requestsPerSecond: number;
  /** Processor time of a signature by that without the record: the median of pairs, and its 95 % interval. */
  cpu?: number;
  interval?: [number, number];
  /** The same of the duration. */
  time?: number;
  timeInterval?: [number, number];
  node: string;
};

type Options = {
  program: string;
  engine: AuditFigures['engine'];
  rounds: number;
  seconds: number | undefined;
  warmup: number | undefined;
  databaseUrl(): Promise<string | undefined>;
  say(text: string): void;
};

/** Of the facts, which every instance writes. Shipping is a choice of the operator. */
const MOST_LOSS = 1.03;
const CONCURRENCY = 32;
const CAUGHT_UP_WITHIN_MS = 60_000;
const LAG = /^countersign_(?:audit_behind|record_not_shipped)_seconds (\S+)$/gm;

const RECORDS = ['none', 'facts', 'facts, shipped to a file'] as const;

type Place = { folder: string; url: string | undefined };

/** Another process seems to write the facts, so this one does not. */
const holdFacts = (place: Place) =>
  plainSql(
    place,
    `INSERT INTO leases (name, owner, lease_until) VALUES ('audit', 'bench', $1)
     ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until`,
    [Date.now() + 86_400_000],
  );

async function factsIn(place: Place): Promise<number> {
  const [row] = await plainSql(place, 'SELECT count(*) AS facts FROM audit_facts');
  return Number(row!.facts);
}

async function caughtUp(port: number): Promise<void> {
  const until = Date.now() + CAUGHT_UP_WITHIN_MS;
  for (;;) {
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    if ([...page.matchAll(LAG)].every(([, seconds]) => Number(seconds) === 0)) return;
    if (Date.now() > until) throw new Error(`the record is behind after ${CAUGHT_UP_WITHIN_MS / 1000} s`);
    await sleep(100);
  }
}

const compared = (some: readonly number[]) => ({ ratio: median(some), interval: medianInterval(some, randomInt) });

export async function measureAudit(options: Options): Promise<AuditFigures[]> {
  const { program, engine, rounds, seconds, warmup, databaseUrl, say } = options;
  const started: { servers: Servers; place: Place }[] = [];
  try {
    const contenders: Contender[] = [];
    for (const record of RECORDS) {
      const url = await databaseUrl();
      const env =
        record === RECORDS[2] ? (folder: string) => ({ AUDIT_SHIP: `file:${join(folder, 'record.jsonl')}` }) : undefined;
      const servers = await startService({ processes: 1, databaseUrl: url, env }, program);
      const place = { folder: dirname(servers.credentialsFile), url };
      started.push({ servers, place });
      if (record === RECORDS[0]) await holdFacts(place);
      const settled = record === RECORDS[0] ? undefined : () => caughtUp(servers.ports[0]!);
      contenders.push({ ...servers, workload: signRawPayload, name: `record: ${record}`, settled });
    }
    const before = await factsIn(started[0]!.place);
    await warmUp(contenders, warmup);
    for (const { settled } of contenders) await settled?.();
    const measured = await measureInTurn(contenders, { concurrency: CONCURRENCY, rounds, seconds }, say);
    if ((await factsIn(started[0]!.place)) !== before) throw new Error('the service without the record wrote facts');
    const ratios = (of: Measured[], value: (one: Measured) => number) =>
      compared(of.map((one, i) => value(measured[0]![i]!) / value(one)));
    return RECORDS.map((record, i): AuditFigures => {
      const own = measured[i]!;
      const figures = {
        ...({ operation: 'sign_raw_payload beside the record', engine, record, pairs: rounds, node: process.version } as const),
        requestsPerSecond: median(own.map((one) => one.requestsPerSecond)),
      };
      if (i === 0) return figures;
      const cpu = ratios(own, (one) => one.requestsPerCpuSecond ?? Number.NaN);
      const time = ratios(own, (one) => one.requestsPerSecond);
      return { ...figures, cpu: cpu.ratio, interval: cpu.interval, time: time.ratio, timeInterval: time.interval };
    });
  } finally {
    for (const { servers } of started) await servers.stop();
  }
}

const range = (ratio: number, [low, high]: [number, number]) => `${ratio.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;

export function auditTable(figures: readonly AuditFigures[]): string {
  const [first] = figures;
  const holds = figures.find(({ record }) => record === RECORDS[1])!.interval![1] <= MOST_LOSS;
  if (!holds) process.exitCode = 1;
  return [
    `Signatures beside the record for auditors (${first!.engine}, ${CONCURRENCY} concurrent, ${first!.pairs} pairs of rounds)`,
    '',
    ...figures.map(
      ({ record, requestsPerSecond, cpu, interval, time, timeInterval }) =>
        `${record.padEnd(26)}${requestsPerSecond.toFixed(0).padStart(6)}/s${
          cpu === undefined ? '' : `  CPU ${range(cpu, interval!)}  duration ${range(time!, timeInterval!)}`
        }`,
    ),
    '',
    `${holds ? 'holds' : 'FAILS'}: with facts, the 95 % interval of the processor time ends at ${MOST_LOSS.toFixed(2)} or before`,
  ].join('\n');
}
