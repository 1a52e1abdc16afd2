/**
 * Measures the service against the floor (bench/floor.ts). Both run side by side, are warmed up, and are loaded in turn in
 * several rounds. Prints medians of the rounds. Their databases are fresh at the first concurrency. The ratio is what to look
 * at; absolute figures belong to one machine. `--help` lists the options (bench/options.ts).
 */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Postgres, startPostgres } from '../tests/support/postgres.ts';
import { type AuditFigures, auditTable, measureAudit } from './audit.ts';
import { type ConsoleFigures, consoleTable, measureConsole } from './console/run.ts';
import { type DecisionFigures, decisionsTable, measureDecisions, measureSigning, type PolicyFigures } from './decisions.ts';
import { type GrowthFigures, growthTable, measureGrowth } from './growth.ts';
import { limitsTable, measureLimits } from './limits.ts';
import type { Measured } from './load.ts';
import {
  ALONE,
  AUDIT,
  CONSOLE,
  GROWTH,
  LIMITS,
  readOptions,
  SCAN,
  SENDING,
  START,
  STREAMS,
  UNUSED,
  VELOCITY,
  WEBHOOKS,
} from './options.ts';
import { type Configuration, type Figures, summarize, table } from './report.ts';
import { measureScan, type ScanFigures, scanTable } from './scan/run.ts';
import { measureSending, type SendingFigures, sendingTables } from './sending/run.ts';
import { abandon, type Place, startFloor, startService } from './servers.ts';
import { measureStart, type StartFigures, startTable } from './start.ts';
import { measureStreams, type StreamFigures, streamsTable } from './streams/run.ts';
import { type Contender, measureInTurn, secondsOf, warmUp } from './turns.ts';
import type { Servers } from './types.ts';
import { measureVelocity, type VelocityFigures, velocityTable } from './velocity.ts';
import { measureWebhooks, type WebhookFigures, webhooksTable } from './webhooks/run.ts';
import { measureUnused, type UnusedFigures, unusedTable } from './webhooks/unused.ts';
import { operations, signRawPayload, workloadNamed } from './workloads.ts';

const say = (text: string) => process.stderr.write(`${text}\n`);
const options = readOptions();

const { rounds, seconds, warmup, concurrency, only, sendsPerSecond, eventsPerSecond, shape, service } = options;
const measures = (part: string) => only === undefined || only === part;
const { name: operation } = signRawPayload;
const CONFIGURATIONS: Configuration[] = [
  { operation, engine: 'sqlite', processes: 1, concurrency: 1 },
  { operation, engine: 'sqlite', processes: 1, concurrency: 32 },
  { operation, engine: 'postgres', processes: 1, concurrency: 32 },
  { operation, engine: 'postgres', processes: 2, concurrency: 32 },
];
const OPERATIONS = operations
  .filter(({ name }) => options.operation === undefined || options.operation === name)
  .flatMap(({ name, concurrencies = [32] }) =>
    (concurrency === undefined ? concurrencies : [concurrency]).map(
      (each): Configuration => ({
        operation: name,
        engine: options.engine === 'postgres' ? 'postgres' : 'sqlite',
        processes: 1,
        concurrency: each,
      }),
    ),
  );

const fits = (configuration: Configuration) =>
  (options.engine === undefined || options.engine === configuration.engine) &&
  (concurrency === undefined || concurrency === configuration.concurrency);
const wanted = [...(measures('service') ? CONFIGURATIONS : []), ...(measures('operations') ? OPERATIONS : [])].filter(fits);
if (wanted.length === 0 && only !== 'decisions' && !ALONE.includes(only))
  throw new Error('nothing fits --engine, --concurrency and --operation');

/** Floor and service run side by side, at each concurrency in turn. */
async function compare(group: Configuration[], server?: Postgres): Promise<Figures[]> {
  const { operation, engine, processes } = group[0]!;
  const workload = workloadNamed(operation);
  const place = async (): Promise<Place> => ({ processes, databaseUrl: await server?.createDatabase() });
  const started: Servers[] = [];
  try {
    const ours = await startService(await place(), service, workload);
    started.push(ours);
    const theirs = await startFloor(await place(), shape, ours.answerBytes, workload);
    started.push(theirs);
    const figures: Figures[] = [];
    const contenders = [ours, theirs].map((servers, index): Contender => {
      const name = `${operation}, ${engine}, ${processes} process(es), ${index === 0 ? 'service' : 'floor'}`;
      return { ...servers, workload, database: server?.pid, name };
    });
    await warmUp(contenders, warmup);
    for (const configuration of group) {
      const turns = { concurrency: configuration.concurrency, rounds, seconds };
      const [ofService, ofFloor] = (await measureInTurn(contenders, turns, say)) as [Measured[], Measured[]];
      figures.push(
        summarize(configuration, ofService, ofFloor, {
          floor: shape,
          rounds,
          secondsPerRound: secondsOf(workload, seconds),
          answerBytes: ours.answerBytes,
          node: process.version,
        }),
      );
    }
    return figures;
  } finally {
    for (const servers of started) await servers.stop();
  }
}

// The waits for servers and for the load then fail, and PostgreSQL is stopped on the way out.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    say(`stopped by ${signal}`);
    abandon();
  });
}

const IN_MEMORY = 0x01021994;
if (process.platform === 'linux' && statfsSync(tmpdir()).type === IN_MEMORY) {
  say(`${tmpdir()} is kept in memory, where a durable commit costs nothing: set TMPDIR to a folder on a disk`);
}

const figures: Figures[] = [];
const growth: GrowthFigures[] = [];
const sending: SendingFigures[] = [];
const webhooks: WebhookFigures[] = [];
const starts: StartFigures[] = [];
const audit: AuditFigures[] = [];
const velocity: VelocityFigures[] = [];
const consoles: ConsoleFigures[] = [];
const unused: UnusedFigures[] = [];
const streams: StreamFigures[] = [];
const scans: ScanFigures[] = [];
const needsPostgres =
  wanted.some(({ engine }) => engine === 'postgres') || (ALONE.includes(only) && options.engine === 'postgres');
const postgres = needsPostgres ? await startPostgres() : undefined;
try {
  const groups = Map.groupBy(wanted, ({ operation, engine, processes }) => [operation, engine, processes].join());
  for (const group of groups.values()) {
    const { engine, processes } = group[0]!;
    if (engine === 'sqlite') {
      figures.push(...(await compare(group)));
    } else if (postgres === undefined || 'unavailable' in postgres) {
      say(`postgres, ${processes} process(es): skipped, ${postgres?.unavailable ?? 'no PostgreSQL'}`);
    } else {
      figures.push(...(await compare(group, postgres)));
    }
  }
  if (ALONE.includes(only)) {
    const engine = options.engine === 'postgres' ? 'postgres' : 'sqlite';
    if (postgres !== undefined && 'unavailable' in postgres) throw new Error(postgres.unavailable);
    const database = async () => postgres?.createDatabase();
    if (only === GROWTH) growth.push(...(await measureGrowth({ program: service, engine, quick: options.quick, database, say })));
    if (only === START) starts.push(...(await measureStart({ program: service, engine, quick: options.quick, database, say })));
    if (only === AUDIT) {
      const { warmup } = options;
      audit.push(...(await measureAudit({ program: service, engine, rounds, seconds, warmup, databaseUrl: database, say })));
    }
    if (only === VELOCITY)
      velocity.push(...(await measureVelocity({ ...options, program: service, engine, databaseUrl: database, say })));
    if (only === CONSOLE) consoles.push(await measureConsole({ ...options, program: service, say }));
    const burst = options.quick ? 300 : 1500;
    if (only === SENDING)
      sending.push(await measureSending({ program: service, burst, rounds, sendsPerSecond, databaseUrl: database, say }));
    if (only === WEBHOOKS)
      webhooks.push(
        await measureWebhooks({ program: service, quick: options.quick, rounds, eventsPerSecond, databaseUrl: database, say }),
      );
    if (only === UNUSED) unused.push(await measureUnused({ ...options, program: service, say }));
    if (only === STREAMS)
      streams.push(await measureStreams({ program: service, quick: options.quick, rounds, databaseUrl: database, say }));
    if (only === SCAN)
      scans.push(await measureScan({ program: service, quick: options.quick, rounds, databaseUrl: database, say }));
  }
} finally {
  if (postgres !== undefined && 'stop' in postgres) await postgres.stop();
}

const limits = only === LIMITS ? await measureLimits(service, seconds ?? 2, say) : [];

const decisions: DecisionFigures[] = [];
const signing: PolicyFigures[] = [];
if (measures('decisions') && options.engine !== 'postgres') {
  decisions.push(...measureDecisions({ rounds, seconds }, say));
  const start = () => startService({ processes: 1, databaseUrl: undefined }, service);
  const concurrencies = concurrency === undefined ? [1, 32] : [concurrency];
  signing.push(...(await measureSigning({ rounds, seconds, warmup, concurrencies }, start, say)));
}

if (options.json)
  process.stdout.write(
    `${JSON.stringify([...figures, ...decisions, ...signing, ...growth, ...limits, ...sending, ...webhooks, ...starts, ...audit, ...velocity, ...consoles, ...unused, ...streams, ...scans], null, 2)}\n`,
  );
const tables = [
  ...(figures.length > 0 ? [table(figures)] : []),
  ...(decisions.length > 0 ? [decisionsTable(decisions, signing)] : []),
  ...(growth.length > 0 ? [growthTable(growth)] : []),
  ...(limits.length > 0 ? [limitsTable(limits)] : []),
  ...sending.map(sendingTables),
  ...webhooks.map(webhooksTable),
  ...(starts.length > 0 ? [startTable(starts)] : []),
  ...(audit.length > 0 ? [auditTable(audit)] : []),
  ...(velocity.length > 0 ? [velocityTable(velocity)] : []),
  ...consoles.map(consoleTable),
  ...unused.map(unusedTable),
  ...streams.map(streamsTable),
  ...scans.map(scanTable),
];
(options.json ? process.stderr : process.stdout).write(`\n${tables.join('\n\n')}\n`);
