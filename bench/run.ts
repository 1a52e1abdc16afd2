/**
 * Measures the service against the floor (bench/floor.ts): both side by side on fresh databases, warmed up, then loaded in turn
 * in several rounds; medians of the rounds. The ratio is what to look at; absolute figures belong to one machine.
 * `--help` says what there is to ask for (bench/options.ts).
 */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Postgres, startPostgres } from '../tests/support/postgres.ts';
import { type DecisionFigures, decisionsTable, measureDecisions, measureSigning, type PolicyFigures } from './decisions.ts';
import { type GrowthFigures, growthTable, measureGrowth } from './growth.ts';
import { limitsTable, measureLimits } from './limits.ts';
import type { Measured } from './load.ts';
import { ALONE, GROWTH, LIMITS, readOptions, SENDING } from './options.ts';
import { type Configuration, type Figures, summarize, table } from './report.ts';
import { measureSending, type SendingFigures, sendingTables } from './sending/run.ts';
import { abandon, type Place, runProgram, type Servers, startFloor, startService } from './servers.ts';
import { operations, signRawPayload, type Workload, workloadNamed } from './workloads.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const say = (text: string) => process.stderr.write(`${text}\n`);
const options = readOptions();

const { rounds, seconds, warmup, concurrency, only, sendsPerSecond, shape, service } = options;
/**
 * In seconds, for what is measured beside sign_raw_payload, so that all of it ends within eight minutes. Some code is compiled while it is measured
 * then, which costs the service more than the floor, so that its ratios are a little low: --warmup=10 shows them as they are after a while.
 */
const SHORT_WARMUP_S = 1.5;
/**
 * Of sign_raw_payload, for each process, unless told otherwise: about so many until its code is compiled no more. On a slow machine, seconds
 * would end sooner than that, and compiling costs the service more than the floor.
 */
const WARMUP_REQUESTS = 20_000;
/** At which they are sent at least. */
const WARMUP_CONCURRENCY = 32;
/** Before a slice is measured, so that all connections are busy. */
const SETTLED_S = 0.3;
const measures = (part: string) => only === undefined || only === part;
/** Requests a second to make ready at most: more than a machine answers at this concurrency. */
const RATES = new Map([[1, 4000]]);

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

type Loaded = { servers: Servers; concurrency: number; workload: Workload; database?: number | undefined };

async function load({ servers, concurrency, workload, database }: Loaded, how: readonly string[]): Promise<Measured> {
  const text = await runProgram([
    here('load.ts'),
    `--ports=${servers.ports.join(',')}`,
    `--pids=${servers.pids.join(',')}`,
    `--credentials=${servers.credentialsFile}`,
    `--sign-with=${servers.signWith}`,
    `--workload=${workload.name}`,
    `--connections=${concurrency}`,
    ...how,
    ...(database === undefined ? [] : [`--database=${database}`]),
    `--rate=${Math.min(workload.rate, RATES.get(concurrency) ?? workload.rate)}`,
  ]);
  const measured = JSON.parse(text) as Measured;
  if (measured.errors > 0) throw new Error(`${measured.errors} requests failed; the first: ${measured.firstError}`);
  return measured;
}

const lasting = (warmup: number, seconds: number) => [`--warmup=${warmup}`, `--seconds=${seconds}`];

/** Until compiled code is replaced by optimised code no more. A service in use has run for days. */
async function warm(loaded: Loaded): Promise<void> {
  const { workload, concurrency, servers } = loaded;
  if (warmup === undefined && workload === signRawPayload) {
    const many = { ...loaded, concurrency: Math.max(concurrency, WARMUP_CONCURRENCY) };
    await load(many, [`--count=${WARMUP_REQUESTS * servers.ports.length}`]);
    if (many.concurrency === concurrency) return;
  }
  await load(loaded, lasting(warmup ?? SHORT_WARMUP_S, SETTLED_S));
}
const slice = (loaded: Loaded): Promise<Measured> =>
  load(loaded, lasting(SETTLED_S, Math.min(seconds, loaded.workload.seconds ?? seconds)));

/** Floor and service run side by side and are loaded in turn; they take turns at going first, so that neither always has the quieter time. */
async function compare(configuration: Configuration, server?: Postgres): Promise<Figures> {
  const { engine, processes, concurrency } = configuration;
  const workload = workloadNamed(configuration.operation);
  const place = async (): Promise<Place> => ({ processes, databaseUrl: await server?.createDatabase() });
  const loaded = (servers: Servers): Loaded => ({ servers, concurrency, workload, database: server?.pid });
  const ofFloor: Measured[] = [];
  const ofService: Measured[] = [];
  const started: Servers[] = [];
  try {
    const ours = await startService(await place(), service, workload);
    started.push(ours);
    const theirs = await startFloor(await place(), shape, ours.answerBytes, workload);
    started.push(theirs);
    for (const servers of started) await warm(loaded(servers));
    for (let round = 0; round < rounds; round++) {
      for (const turn of round % 2 === 0 ? ['service', 'floor'] : ['floor', 'service']) {
        const result = await slice(loaded(turn === 'service' ? ours : theirs));
        (turn === 'service' ? ofService : ofFloor).push(result);
        const text = `${result.requestsPerSecond}/s, p50 ${result.p50Ms} ms, p99 ${result.p99Ms} ms${result.ranOut ? ' (ended early: requests ran out)' : ''}`;
        say(
          `${workload.name}, ${engine}, ${processes} process(es), concurrency ${concurrency}, round ${round + 1}/${rounds}, ${turn}: ${text}`,
        );
      }
    }
    return summarize(configuration, ofService, ofFloor, {
      floor: shape,
      rounds,
      secondsPerRound: seconds,
      answerBytes: ours.answerBytes,
      node: process.version,
    });
  } finally {
    for (const servers of started) await servers.stop();
  }
}

// The waits for servers and for the load then fail, and PostgreSQL is stopped on the way out.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
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
const needsPostgres =
  wanted.some(({ engine }) => engine === 'postgres') || (ALONE.includes(only) && options.engine === 'postgres');
const postgres = needsPostgres ? await startPostgres() : undefined;
try {
  for (const configuration of wanted) {
    if (configuration.engine === 'sqlite') {
      figures.push(await compare(configuration));
    } else if (postgres === undefined || 'unavailable' in postgres) {
      say(`postgres, ${configuration.processes} process(es): skipped, ${postgres?.unavailable ?? 'no PostgreSQL'}`);
    } else {
      figures.push(await compare(configuration, postgres));
    }
  }
  if (ALONE.includes(only)) {
    const engine = options.engine === 'postgres' ? 'postgres' : 'sqlite';
    if (postgres !== undefined && 'unavailable' in postgres) throw new Error(postgres.unavailable);
    const database = async () => postgres?.createDatabase();
    if (only === GROWTH) growth.push(...(await measureGrowth({ program: service, engine, quick: options.quick, database, say })));
    const burst = options.quick ? 300 : 1500;
    if (only === SENDING)
      sending.push(await measureSending({ program: service, burst, rounds, sendsPerSecond, databaseUrl: database, say }));
  }
} finally {
  if (postgres !== undefined && 'stop' in postgres) await postgres.stop();
}

const limits = only === LIMITS ? await measureLimits(service, seconds, say) : [];

const decisions: DecisionFigures[] = [];
const signing: PolicyFigures[] = [];
if (measures('decisions') && options.engine !== 'postgres') {
  decisions.push(...measureDecisions({ rounds, seconds }, say));
  const start = () => startService({ processes: 1, databaseUrl: undefined }, service);
  const of = (servers: Servers, connections: number): Loaded => ({ servers, concurrency: connections, workload: signRawPayload });
  for (const connections of concurrency === undefined ? [1, 32] : [concurrency])
    signing.push(
      await measureSigning(
        { rounds, seconds, concurrency: connections },
        start,
        { warm: (...one) => warm(of(...one)), slice: (...one) => slice(of(...one)) },
        say,
      ),
    );
}

if (options.json)
  process.stdout.write(`${JSON.stringify([...figures, ...decisions, ...signing, ...growth, ...limits, ...sending], null, 2)}\n`);
const tables = [
  ...(figures.length > 0 ? [table(figures)] : []),
  ...(decisions.length > 0 ? [decisionsTable(decisions, signing)] : []),
  ...(growth.length > 0 ? [growthTable(growth)] : []),
  ...(limits.length > 0 ? [limitsTable(limits)] : []),
  ...sending.map(sendingTables),
];
(options.json ? process.stderr : process.stdout).write(`\n${tables.join('\n\n')}\n`);
