/**
 * The cost of limits over time to signatures, as `--only=velocity`. Services sign transfers in turn, each with a database of its own. In
 * each round all have their turn, so the ratio of one round is that of a pair. One runs the same sources without the question whether an
 * organization has limits. With `--before=PROGRAM`, one more is an earlier version, such as that of another checkout.
 */
import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stored } from '../src/store/table.ts';
import { velocityControls } from '../src/store/tables/velocity-controls.ts';
import { plainSql } from '../tests/support/database.ts';
import type { Measured } from './load.ts';
import { administer } from './prepare.ts';
import { median, medianInterval } from './sending/windows.ts';
import { startService } from './servers.ts';
import { type Credentials, readCredentials } from './stamp.ts';
import { type Contender, measureInTurn, warmUp } from './turns.ts';
import type { Servers } from './types.ts';
import { payInTurn } from './workloads.ts';

export type VelocityFigures = {
  operation: 'sign_transaction beside limits over time';
  engine: 'sqlite' | 'postgres';
  limits: string;
  pairs: number;
  requestsPerSecond: number;
  /** Medians of pairs, with 95 % intervals. Processor time of a signature beside that without limits, and signatures a second. */
  cpu?: [ratio: number, low: number, high: number];
  rate?: [ratio: number, low: number, high: number];
  /** What must hold, and whether it does. */
  goal?: string;
  holds?: boolean;
  node: string;
};

type Options = {
  program: string;
  before: string | undefined;
  engine: VelocityFigures['engine'];
  quick: boolean;
  rounds: number;
  seconds: number | undefined;
  warmup: number | undefined;
  databaseUrl(): Promise<string | undefined>;
  say(text: string): void;
};

const CONCURRENCY = 32;
const WITHOUT = fileURLToPath(new URL('without-velocity.mjs', import.meta.url));

const limit = (identifier: string, more: object = {}) => ({
  name: identifier,
  identifier,
  dataSource: { chainAssetTransfer: { definition: [{ caip19: 'eip155:1/slip44:60', decimals: '18' }] } },
  aggregation: {
    method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
    operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
    threshold: '99999999999999999999',
    window: { rolling: { duration: '86400' } },
    groupBy: { organization: {} },
  },
  countersign: { enforcement: 'ALWAYS', ...more },
});

type Service = { port: number; root: Credentials; place: { folder: string; url: string | undefined }; size: number };

const create = ({ port, root }: Service, parameters: object) =>
  administer(port, root, 'create_velocity_control', 'ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL', parameters);

/** Copies of one limit. As requests they would take minutes. The service has read no limit yet. */
const COPIES = {
  sqlite: `WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < $1)
    INSERT INTO velocity_controls (COLUMNS) SELECT VALUES FROM velocity_controls, many`,
  postgres: 'INSERT INTO velocity_controls (COLUMNS) SELECT VALUES FROM velocity_controls, generate_series(1, $1::int) AS n',
};
const OWN_ID = {
  sqlite: "unhex(printf('00000000000070008000%012x', n))",
  postgres: "('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid",
};

const engineOf = ({ place }: Service) => (place.url === undefined ? 'sqlite' : 'postgres');

/** As many limits as an organization may have. All are about another wallet. The last one has the service read them. */
async function createMany(service: Service): Promise<void> {
  const wallet = { walletName: 'Other', accounts: [] };
  const { walletId } = await administer(service.port, service.root, 'create_wallet', 'ACTIVITY_TYPE_CREATE_WALLET', wallet);
  const scope = { scope: { walletIds: [walletId] } };
  await create(service, limit('first', scope));
  const engine = engineOf(service);
  const own: Record<string, string> = { id: OWN_ID[engine], identifier: "'copy_' || n" };
  const columns = stored(velocityControls).map(({ name }) => name);
  const sql = COPIES[engine]
    .replace('COLUMNS', columns.join(', '))
    .replace('VALUES', columns.map((column) => own[column] ?? column).join(', '));
  await plainSql(service.place, sql, [service.size / 100 - 2]);
  await create(service, limit('last', scope));
}

const FILL = {
  sqlite: `WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < $1)
    INSERT INTO velocity_entries (organization_id, control_id, bucket, activity_id, amount, count, created_at, state, step, reference, fee)
    SELECT organization_id, id, '', ${OWN_ID.sqlite}, '1', 1, $2, 'spent', 0, '', '0'
    FROM velocity_controls, many`,
  postgres: `INSERT INTO velocity_entries (organization_id, control_id, bucket, activity_id, amount, count, created_at, state, step, reference, fee)
    SELECT organization_id, id, '', ${OWN_ID.postgres}, '1', 1, $2, 'spent', 0, '', '0'
    FROM velocity_controls, generate_series(1, $1::int) AS n`,
};

/** One limit, in whose only counter many signatures were counted before. */
async function createOld(service: Service): Promise<void> {
  await create(service, limit('old'));
  await plainSql(service.place, FILL[engineOf(service)], [service.size, Date.now()]);
}

const DAY_MS = 86_400_000;
const WIDTH_MS = DAY_MS / 96;

/** One limit, whose only counter has an amount in each step of its day. It gets no more steps than that. */
async function createFull(service: Service): Promise<void> {
  await create(service, limit('full'));
  const now = Math.floor(Date.now() / WIDTH_MS);
  const steps = Array.from({ length: 96 }, (_, i) => [now - 96 + i, String(10n ** 18n + BigInt(i)), 100]);
  const given = engineOf(service) === 'sqlite' ? '$1' : '$1::text';
  const sql = `INSERT INTO velocity_counters (organization_id, control_id, bucket, steps)
    SELECT organization_id, id, '', ${given} FROM velocity_controls`;
  await plainSql(service.place, sql, [JSON.stringify(steps)]);
}

const most = (value: number) => ({ text: `at most ${value.toFixed(2)} of its processor time`, value });

/** `goal`: about the 95 % interval's end of processor time (`cpu`), or about the median of signatures a second (`rate`). */
type Case = {
  limits: string;
  prepare?: (service: Service) => Promise<unknown>;
  env?: Record<string, string>;
  isBefore?: true;
  /** The case that it is compared with. By default the first. */
  beside?: string;
  cpu?: number;
  rate?: { sqlite: number; postgres: number };
};

const NONE = 'none';
const HOT = 'one, one counter';
const CASES: readonly Case[] = [
  { limits: NONE },
  { limits: 'none, never asked for', env: { NODE_OPTIONS: `--import=${WITHOUT}` } },
  { limits: 'none, an earlier version', isBefore: true },
  {
    limits: 'one, 1,000 counters',
    prepare: (service) => create(service, limit('by_recipient', { groupBy: 'recipient' })),
    rate: { sqlite: 0.85, postgres: 0.85 },
  },
  { limits: HOT, prepare: (service) => create(service, limit('hot')), rate: { sqlite: 0.8, postgres: 0.5 } },
  { limits: 'one, one counter of a whole day', prepare: createFull, rate: { sqlite: 0.8, postgres: 0.5 } },
  { limits: 'one, one counter, a million entries', prepare: createOld, beside: HOT, cpu: 1.03 },
  { limits: '10,000 of another wallet', prepare: createMany, cpu: 1.2 },
];

/** The loss of an organization without limits, beside sources that never ask. */
const MOST_LOSS = 1.03;
const ENTRIES = 1_000_000;

type Ratio = [ratio: number, low: number, high: number];
function ratioOf(own: readonly Measured[], other: readonly Measured[], value: (one: Measured) => number | undefined): Ratio {
  const each = own.map((one, i) => (value(one) ?? Number.NaN) / (value(other[i]!) ?? Number.NaN));
  return [median(each), ...medianInterval(each, randomInt)];
}

const perCpu = ({ requestsPerCpuSecond }: Measured) => requestsPerCpuSecond;
const perSecond = ({ requestsPerSecond }: Measured) => requestsPerSecond;

type Compared = Pick<VelocityFigures, 'cpu' | 'rate' | 'goal' | 'holds'>;

function comparedWith(
  { cpu: mostCpu, rate: leastRate, limits }: Case,
  engine: Options['engine'],
  own: Measured[],
  other: Measured[],
): Compared {
  const cpu = ratioOf(other, own, perCpu);
  const rate = ratioOf(own, other, perSecond);
  if (limits === CASES[1]!.limits) {
    const [, , loss] = ratioOf(own, other, perCpu);
    return { cpu, rate, goal: `${NONE}: ${most(MOST_LOSS).text}`, holds: loss <= MOST_LOSS };
  }
  if (mostCpu !== undefined) return { cpu, rate, goal: most(mostCpu).text, holds: cpu[0] <= mostCpu };
  if (leastRate === undefined) return { cpu, rate };
  const least = leastRate[engine];
  return { cpu, rate, goal: `at least ${least.toFixed(2)} of its signatures`, holds: rate[0] >= least };
}

async function startCase(one: Case, { program, before, databaseUrl, quick, say }: Options): Promise<Contender & Servers> {
  const url = await databaseUrl();
  const env = one.env === undefined ? undefined : () => one.env!;
  const servers = await startService({ processes: 1, databaseUrl: url, env }, one.isBefore ? before! : program, payInTurn);
  const place = { folder: dirname(servers.credentialsFile), url };
  const root = readCredentials(servers.credentialsFile);
  say(`preparing: ${one.limits}`);
  try {
    await one.prepare?.({ port: servers.ports[0]!, root, place, size: quick ? ENTRIES / 100 : ENTRIES });
  } catch (error) {
    await servers.stop();
    throw error;
  }
  return { ...servers, workload: payInTurn, name: `limits: ${one.limits}` };
}

export async function measureVelocity(options: Options): Promise<VelocityFigures[]> {
  const { engine, before, rounds, seconds, warmup, say } = options;
  const cases = CASES.filter(({ isBefore }) => !isBefore || before !== undefined);
  const started: (Contender & Servers)[] = [];
  try {
    for (const one of cases) started.push(await startCase(one, options));
    await warmUp(started, warmup);
    const measured = await measureInTurn(started, { concurrency: CONCURRENCY, rounds, seconds }, say);
    return cases.map((one, i): VelocityFigures => {
      const own = measured[i]!;
      const other = measured[cases.findIndex(({ limits }) => limits === (one.beside ?? NONE))]!;
      return {
        ...({ operation: 'sign_transaction beside limits over time', engine, limits: one.limits, pairs: rounds } as const),
        requestsPerSecond: median(own.map(perSecond)),
        ...(i > 0 && comparedWith(one, engine, own, other)),
        node: process.version,
      };
    });
  } finally {
    for (const { stop } of started) await stop();
  }
}

const range = ([ratio, low, high]: Ratio) => `${ratio.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;

export function velocityTable(figures: readonly VelocityFigures[]): string {
  const [first] = figures;
  if (figures.some(({ holds }) => holds === false)) process.exitCode = 1;
  return [
    `Signatures beside limits over time (${first!.engine}, ${CONCURRENCY} concurrent, ${first!.pairs} pairs of rounds)`,
    '',
    ...figures.map(({ limits, requestsPerSecond, cpu, rate }) => {
      const compared = cpu === undefined ? '' : `  CPU ${range(cpu)}  rate ${range(rate!)}`;
      return `${limits.padEnd(37)}${requestsPerSecond.toFixed(0).padStart(6)}/s${compared}`;
    }),
    '',
    ...figures.flatMap(({ limits, goal, holds }) =>
      goal === undefined ? [] : [`${holds ? 'holds' : 'FAILS'}: ${limits}: ${goal}`],
    ),
  ].join('\n');
}
