/** The options of `npm run bench`. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isShape, SHAPES, type Shape } from './servers.ts';

const PARTS = ['service', 'operations', 'decisions'];
/** Run only on request. */
export const GROWTH = 'growth';
export const LIMITS = 'limits';
export const SENDING = 'sending';
export const WEBHOOKS = 'webhooks';
export const START = 'start';
export const AUDIT = 'audit';
export const VELOCITY = 'velocity';
export const CONSOLE = 'console';
export const UNUSED = 'webhooks-unused';
export const STREAMS = 'streams';
export const SCAN = 'scan';
export const ALONE: readonly (string | undefined)[] = [
  ...[GROWTH, LIMITS, SENDING, WEBHOOKS, START, AUDIT, VELOCITY, CONSOLE],
  ...[UNUSED, STREAMS, SCAN],
];
/** Of parts whose difference is small. */
const PAIRS = 30;
const IN_PAIRS: readonly (string | undefined)[] = [AUDIT, VELOCITY, CONSOLE, UNUSED];
/** 10,000 events. */
const WEBHOOK_ROUNDS = 5;

const HELP = `usage: npm run bench -- [--only=PART] [--engine=sqlite|postgres] [--concurrency=N] [--quick] [--json] …

Measures the service beside the floor (bench/floor.ts) on throw-away instances: medians of rounds in turn. The ratio is what to look at;
absolute figures belong to one machine. About seven and a half minutes on two cores that do nothing else.

  --only         service:    sign_raw_payload on every engine
                 operations: other operations that sign; SQLite unless told otherwise
                 decisions:  the cost of policies; SQLite
                 Without it, these three. Further ones run only on request:
                 growth:     with much stored data; SQLite unless told otherwise
                 limits:     the cost of a caller beyond a limit; SQLite
                 sending:    transactions on anvil; SQLite unless told otherwise
                 start:      a start with 100,000 wallets; SQLite unless told otherwise
                 audit:      with and without the record for auditors; SQLite unless told otherwise
                 velocity:   with and without limits over time; SQLite unless told otherwise.
                             --before=PROGRAM adds an earlier version
                 console:    the first page and 10,000 activities in Chromium, and signatures beside consoles and reviews; SQLite
                 webhooks:   1,000 endpoints, and signatures beside; SQLite unless told otherwise
                 webhooks-unused: signatures without endpoints, beside 1,000 of others; SQLite
                 streams:    1,000 streams, and signatures beside; SQLite unless told otherwise
                 scan:       blocks of 300 transactions, with 10,000 watched addresses; SQLite unless told otherwise
  --operation    the one of this name, such as sign_transaction/solana (bench/workloads.ts)
  --engine       this database only
  --concurrency  concurrent requests
  --rounds       number of rounds, 3 unless given; 5 of --only=webhooks, and 30 of audit, velocity, console and webhooks-unused
  --seconds      of each; unless given 2, or less (bench/workloads.ts)
  --warmup       seconds before. The default is 15,000 requests of sign_raw_payload to each process, and some hundreds or thousands
                 of others (bench/workloads.ts). Their ratios are a little low: --warmup=10 shows them as
                 they are after a while. With --quick, 1.5 s
  --quick        fewer, shorter rounds, and less data
  --floor        plain, threads, or tuned
  --service      the measured program, src/main.ts unless given
  --sends-per-second
                 of --only=sending: 20 unless given
  --events-per-second
                 of --only=webhooks: 200 unless given
  --json         the figures as JSON
`;

export type Options = {
  json: boolean;
  quick: boolean;
  rounds: number;
  /** Undefined: as the workload says. */
  seconds: number | undefined;
  /** In seconds. Undefined: as long as each operation needs. */
  warmup: number | undefined;
  engine: string | undefined;
  concurrency: number | undefined;
  shape: Shape;
  service: string;
  before: string | undefined;
  only: string | undefined;
  operation: string | undefined;
  sendsPerSecond: number;
  eventsPerSecond: number;
};

/** Prints the help and ends, on request. */
export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      warmup: { type: 'string' },
      engine: { type: 'string' },
      concurrency: { type: 'string' },
      floor: { type: 'string', default: 'plain' },
      service: { type: 'string', default: fileURLToPath(new URL('../src/main.ts', import.meta.url)) },
      before: { type: 'string' },
      only: { type: 'string' },
      operation: { type: 'string' },
      'sends-per-second': { type: 'string', default: '20' },
      'events-per-second': { type: 'string', default: '200' },
    },
  });
  const { json, quick, engine, floor, operation } = values;
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const rounds = Number(
    values.rounds ?? (quick ? 2 : IN_PAIRS.includes(values.only) ? PAIRS : values.only === WEBHOOKS ? WEBHOOK_ROUNDS : 3),
  );
  const seconds = values.seconds === undefined ? (quick ? 1.5 : undefined) : Number(values.seconds);
  const sendsPerSecond = Number(values['sends-per-second']);
  const eventsPerSecond = Number(values['events-per-second']);
  const only = values.only ?? (operation === undefined ? undefined : 'operations');
  if (!(rounds >= 1) || (seconds !== undefined && !(seconds > 0)))
    throw new Error('--rounds and --seconds take numbers above zero');
  if (!(sendsPerSecond > 0)) throw new Error('--sends-per-second takes a number above zero');
  if (!(eventsPerSecond > 0)) throw new Error('--events-per-second takes a number above zero');
  if (!isShape(floor)) throw new Error(`--floor is one of ${SHAPES.join(', ')}`);
  if (only !== undefined && ![...PARTS, ...ALONE].includes(only)) throw new Error(`--only is ${[...PARTS, ...ALONE].join(', ')}`);
  return {
    json,
    quick,
    rounds,
    seconds,
    warmup: values.warmup === undefined ? (quick ? 1.5 : undefined) : Number(values.warmup),
    engine,
    concurrency: values.concurrency === undefined ? undefined : Number(values.concurrency),
    shape: floor,
    service: resolve(values.service),
    before: values.before === undefined ? undefined : resolve(values.before),
    only,
    operation,
    sendsPerSecond,
    eventsPerSecond,
  };
}
