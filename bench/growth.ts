/**
 * The cost of a request with much stored data, against a nearly empty database. Each data set has a database of its own. Its
 * service runs beside that of a nearly empty database, started at the same time. Requests go to both in turn, so that both have
 * the same slow moments of the machine. Medians.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds } from './cpu.ts';
import { fill, type Scale } from './growth-data.ts';
import { administer, createAccount, withUser } from './prepare.ts';
import { freshFolder, startOn } from './servers.ts';
import { type Credentials, readCredentials, stamper } from './stamp.ts';
import { bodyOf, signRawPayload } from './workloads.ts';

export type GrowthFigures = {
  operation: 'growth';
  engine: 'sqlite' | 'postgres';
  /** The stored data. */
  data: string;
  /** The measured request. */
  ask: string;
  value: number;
  unit: 'ms' | 's' | 'MB';
  /** The same with a nearly empty database. */
  least: number;
  ratio: number;
  node: string;
};

type Sent = { path: string; body: () => object };
/** A database and who asks it. */
type Stock = {
  data: string;
  folder: string;
  databaseUrl: string | undefined;
  root: Credentials;
  user: Credentials;
  signWith: string;
  remove(): void;
};
type Side = Stock & { port: number };
type Sides = readonly [least: Side, much: Side];

/** Enough that a page is full. */
const FEW_ROWS = 400;
const NOTHING: Scale = { activities: 0, subOrganizations: 0, users: 0, policies: 0, wallets: 0 };

/** `quick`: a hundredth of everything. */
const scales = (quick: boolean): readonly (Partial<Scale> & { data: string })[] => {
  const of = (count: number) => (quick ? count / 100 : count);
  return [
    {
      data: 'next to nothing',
      activities: FEW_ROWS,
      subOrganizations: FEW_ROWS,
      users: FEW_ROWS,
      policies: FEW_ROWS,
      wallets: FEW_ROWS,
    },
    { data: `${of(1_000_000)} activities`, activities: of(1_000_000) },
    { data: `${of(200_000)} sub-organizations`, subOrganizations: of(200_000) },
    {
      data: `${of(10_000)} users, ${of(10_000)} policies, ${of(100_000)} wallets`,
      users: of(10_000),
      policies: of(10_000),
      wallets: of(100_000),
    },
  ];
};

const REPEATS = 200;
const FEW = 60;
const STARTS = 3;
const round = (value: number) => Number(value.toFixed(3));

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

async function ask({ port, root }: Side, { path, body }: Sent, credentials = root): Promise<{ text: string; ms: number }> {
  const bytes = Buffer.from(JSON.stringify({ organizationId: root.organizationId, ...body() }));
  const headers = { 'Content-Type': 'application/json', 'X-Stamp': stamper(credentials)(bytes) };
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: new Uint8Array(bytes) });
  const text = await answer.text();
  const ms = performance.now() - began;
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${text.slice(0, 300)}`);
  return { text, ms };
}

type Noted = Map<string, { least: number; value: number; unit: GrowthFigures['unit'] }>;

/** The cost of both; they take turns at being first. */
async function medianOf<T>(sides: readonly [T, T], times: number, one: (side: T) => Promise<number>): Promise<[number, number]> {
  const taken: [number[], number[]] = [[], []];
  for (let i = 0; i < 2 * times; i++) {
    const which = (i >> 1) % 2 === 0 ? i % 2 : 1 - (i % 2);
    taken[which]!.push(await one(sides[which]!));
  }
  return [median(taken[0]), median(taken[1])];
}

let index = 0;
const signing = ({ root, signWith }: Side): Sent => ({
  path: signRawPayload.path,
  body: () => JSON.parse(bodyOf(signRawPayload, root.organizationId, signWith, index++, Date.now() - index).toString()) as object,
});

type Listed = { name: string; key: string; id: string; more?: object };

/** Lists, the member that holds their elements, and the member of an element to go on behind. */
const LISTS: readonly Listed[] = [
  { name: 'list_activities', key: 'activities', id: 'id' },
  {
    name: 'list_activities',
    key: 'activities',
    id: 'id',
    more: { filterByType: [signRawPayload.type], filterByStatus: ['ACTIVITY_STATUS_FAILED'] },
  },
  { name: 'list_suborgs', key: 'organizationIds', id: '' },
  {
    name: 'list_suborgs',
    key: 'organizationIds',
    id: '',
    more: { filterType: 'EMAIL', filterValue: 'person0@example.com' },
  },
  { name: 'list_users', key: 'users', id: 'userId' },
  { name: 'list_policies', key: 'policies', id: 'policyId' },
  { name: 'list_wallets', key: 'wallets', id: 'walletId' },
];

/** The number of pages before a deep page, if there are enough. It is a full one. */
const DEEP = 50;
const PAGE = 100;

type Page = (side: Side, after?: string) => Promise<{ text: string; ms: number }>;
type Element = string | Record<string, string>;

/** Where the page begins that is `DEEP` pages behind the first, or the last full one. */
async function beforeDeepPage(side: Side, { key, id }: Listed, page: Page): Promise<string | undefined> {
  let behind: string | undefined;
  let after: string | undefined;
  for (let i = 0; i < DEEP; i++) {
    const found: Element[] = (JSON.parse((await page(side, after)).text) as Record<string, Element[]>)[key]!;
    if (found.length < PAGE) break;
    const last = found.at(-1)!;
    behind = after;
    after = typeof last === 'string' ? last : last[id];
  }
  return behind;
}

type Note = (what: string, both: readonly [number, number]) => void;

async function lists(sides: Sides, note: Note): Promise<void> {
  for (const listed of LISTS) {
    const { name, more = {} } = listed;
    const page: Page = (side, after) => {
      const paginationOptions = { limit: String(PAGE), ...(after === undefined ? {} : { after }) };
      return ask(side, { path: `/public/v1/query/${name}`, body: () => ({ ...more, paginationOptions }) });
    };
    const label = `${name}${Object.keys(more).length > 0 ? ' with filters' : ''}`;
    note(`${label}, first page`, await medianOf(sides, FEW, async (side) => (await page(side)).ms));
    const deep = new Map<Side, string | undefined>();
    for (const side of sides) deep.set(side, await beforeDeepPage(side, listed, page));
    note(`${label}, deep page`, await medianOf(sides, FEW, async (side) => (await page(side, deep.get(side))).ms));
  }
}

async function policyChange(sides: Sides, note: Note) {
  const decided = new Map<Side, number[]>(sides.map((side) => [side, []]));
  const changed = await medianOf(sides, FEW, async (side) => {
    const policy = {
      policyName: `Changed ${index}`,
      effect: 'EFFECT_DENY',
      condition: `activity.type == 'X${index++}'`,
      consensus: '',
    };
    const began = performance.now();
    await administer(side.port, side.root, 'create_policies', 'ACTIVITY_TYPE_CREATE_POLICIES', {
      policies: [{ ...policy, notes: '' }],
    });
    const ms = performance.now() - began;
    decided.get(side)!.push((await ask(side, signing(side), side.user)).ms);
    return ms;
  });
  note('a new policy', changed);
  note('the signature after it', [median(decided.get(sides[0])!), median(decided.get(sides[1])!)]);
}

async function requests(sides: Sides, note: Note): Promise<void> {
  const single = async (what: string, sent: (side: Side) => Sent, as: (side: Side) => Credentials = ({ root }) => root) => {
    const one = async (side: Side) => (await ask(side, sent(side), as(side))).ms;
    await medianOf(sides, FEW, one);
    note(what, await medianOf(sides, REPEATS, one));
  };
  await single('sign_raw_payload', signing);
  await single('sign_raw_payload by policy', signing, ({ user }) => user);
  await single('whoami', () => ({ path: '/public/v1/query/whoami', body: () => ({}) }));
  const signed = new Map<Side, string>();
  for (const side of sides) {
    const { text } = await ask(side, signing(side));
    signed.set(side, (JSON.parse(text) as { activity: { id: string } }).activity.id);
  }
  await single('get_activity', (side) => ({
    path: '/public/v1/query/get_activity',
    body: () => ({ activityId: signed.get(side)! }),
  }));
  await lists(sides, note);
  await policyChange(sides, note);
}

type Options = {
  program: string;
  engine: GrowthFigures['engine'];
  quick: boolean;
  database(): Promise<string | undefined>;
  say(text: string): void;
};

async function stocked(options: Options, { data, ...more }: Partial<Scale> & { data: string }): Promise<Stock> {
  const { program, say } = options;
  const { folder, remove } = freshFolder();
  const databaseUrl = await options.database();
  const first = await startOn(folder, databaseUrl, program);
  const credentialsFile = join(folder, 'root-credentials.json');
  const root = readCredentials(credentialsFile);
  let stock: Stock;
  try {
    const signWith = await createAccount(first.port, root, signRawPayload.account);
    const conditions = [`activity.action == 'SIGN' && wallet_account.address == '${signWith}'`];
    const servers = { ports: [first.port], pids: [first.pid], credentialsFile, signWith, stop: first.stop };
    const user = readCredentials((await withUser(servers, conditions)).credentialsFile);
    stock = { data, folder, databaseUrl, root, user, signWith, remove };
  } finally {
    await first.stop();
  }
  say(`filling: ${data}`);
  await fill({ folder, databaseUrl }, root.organizationId, { ...NOTHING, ...more }, say);
  return stock;
}

type Started = Awaited<ReturnType<typeof startOn>>;

/** Starts each of them some times in turn; the last ones stay. */
async function started(
  stocks: readonly [Stock, Stock],
  program: string,
  note: (cpu: [number, number]) => void,
): Promise<Started[]> {
  const running = new Map<Stock, Started>();
  const start = async (stock: Stock) => {
    await running.get(stock)?.stop();
    const service = await startOn(stock.folder, stock.databaseUrl, program);
    running.set(stock, service);
    return cpuSeconds([service.pid]) ?? Number.NaN;
  };
  note(await medianOf(stocks, STARTS, start));
  return stocks.map((stock) => running.get(stock)!);
}

function residentMegabytes(pid: number): number {
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round((Number(resident) * 1024) / 1e6);
}

async function measured(least: Stock, much: Stock, { program, say }: Options): Promise<Noted> {
  const noted: Noted = new Map();
  const noting =
    (unit: GrowthFigures['unit']): Note =>
    (what, [least, value]) =>
      void noted.set(what, { least: round(least), value: round(value), unit });
  say(`measuring: ${much.data}`);
  const services = await started([least, much], program, (cpu) => noting('s')('processor time to ready', cpu));
  try {
    const [first, second] = services.map(({ pid }) => residentMegabytes(pid)) as [number, number];
    noting('MB')('memory when ready', [first, second]);
    await requests(
      [
        { ...least, port: services[0]!.port },
        { ...much, port: services[1]!.port },
      ],
      noting('ms'),
    );
  } finally {
    for (const service of services) await service.stop();
  }
  return noted;
}

export async function measureGrowth(options: Options): Promise<GrowthFigures[]> {
  const { engine } = options;
  const figures: GrowthFigures[] = [];
  const [nothing, ...sets] = scales(options.quick);
  const little = await stocked(options, nothing!);
  for (const set of sets) {
    const much = await stocked(options, set);
    for (const [ask, { least, value, unit }] of await measured(little, much, options)) {
      const ratio = round(value / least);
      figures.push({ operation: 'growth', engine, data: set.data, ask, value, unit, least, ratio, node: process.version });
    }
    much.remove();
  }
  little.remove();
  return figures;
}

/** A line for each question, a column for each data set. */
export function growthTable(figures: readonly GrowthFigures[]): string {
  const sets = [...new Set(figures.map(({ data }) => data))];
  const asks = [...new Set(figures.map(({ ask }) => ask))];
  const cell = (data: string, ask: string) => {
    const { value, least, ratio } = figures.find((one) => one.data === data && one.ask === ask)!;
    return `${value.toFixed(2)} / ${least.toFixed(2)} (${ratio.toFixed(2)})`;
  };
  const rows = asks.map((ask) => {
    const { unit } = figures.find((one) => one.ask === ask)!;
    return [ask, unit, ...sets.map((data) => cell(data, ask))];
  });
  const all = [['', '', ...sets.map((_, i) => `set ${i + 1}`)], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const lines = all.map((row) =>
    row.map((text, column) => (column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!))).join('  '),
  );
  const named = [`next to nothing: ${FEW_ROWS} of each`, ...sets.map((data, i) => `set ${i + 1}: ${data}`)];
  return [
    `What much stored data costs (${figures[0]?.engine}) / what next to nothing costs beside it, and how many times as much`,
    '',
    ...lines,
    '',
    ...named,
  ].join('\n');
}
