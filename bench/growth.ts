/**
 * What a request costs when much is stored, against a database with next to nothing. Each data set has a database of its own.
 * Medians of requests sent one after the other; one service at a time.
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
  /** What is stored. */
  data: string;
  /** What is asked. */
  ask: string;
  value: number;
  unit: 'ms' | 's' | 'MB';
  /** The same with next to nothing. */
  least: number;
  ratio: number;
  node: string;
};

type Sent = { path: string; body: () => object };
type Service = { port: number; root: Credentials };

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
const FEW = 20;
const round = (value: number) => Number(value.toFixed(3));

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

async function ask({ port, root }: Service, { path, body }: Sent, credentials = root): Promise<{ text: string; ms: number }> {
  const bytes = Buffer.from(JSON.stringify({ organizationId: root.organizationId, ...body() }));
  const headers = { 'Content-Type': 'application/json', 'X-Stamp': stamper(credentials)(bytes) };
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: new Uint8Array(bytes) });
  const text = await answer.text();
  const ms = performance.now() - began;
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${text.slice(0, 300)}`);
  return { text, ms };
}

async function medianOf(times: number, one: () => Promise<number>): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) taken.push(await one());
  return median(taken);
}

let index = 0;
const signing = (root: Credentials, signWith: string): Sent => ({
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

/** How many pages from the first a deep page is, if there are so many. It is a full one. */
const DEEP = 50;
const PAGE = 100;

async function lists(service: Service, note: (what: string, ms: number) => void): Promise<void> {
  for (const { name, key, id, more = {} } of LISTS) {
    let after: string | undefined;
    const page = async () => {
      const paginationOptions = { limit: String(PAGE), ...(after === undefined ? {} : { after }) };
      return ask(service, { path: `/public/v1/query/${name}`, body: () => ({ ...more, paginationOptions }) });
    };
    const label = `${name}${Object.keys(more).length > 0 ? ' with filters' : ''}`;
    note(`${label}, first page`, await medianOf(FEW, async () => (await page()).ms));
    let behind: string | undefined;
    for (let i = 0; i < DEEP; i++) {
      const found = (JSON.parse((await page()).text) as Record<string, (string | Record<string, string>)[]>)[key]!;
      if (found.length < PAGE) break;
      const last = found.at(-1)!;
      behind = after;
      after = typeof last === 'string' ? last : last[id];
    }
    after = behind;
    note(`${label}, deep page`, await medianOf(FEW, async () => (await page()).ms));
  }
}

async function policyChange(service: Service, user: Credentials, sign: Sent, note: (what: string, ms: number) => void) {
  const decided: number[] = [];
  const changed = await medianOf(FEW, async () => {
    const policy = {
      policyName: `Changed ${index}`,
      effect: 'EFFECT_DENY',
      condition: `activity.type == 'X${index++}'`,
      consensus: '',
    };
    const began = performance.now();
    await administer(service.port, service.root, 'create_policies', 'ACTIVITY_TYPE_CREATE_POLICIES', {
      policies: [{ ...policy, notes: '' }],
    });
    const ms = performance.now() - began;
    decided.push((await ask(service, sign, user)).ms);
    return ms;
  });
  note('a new policy', changed);
  note('the signature after it', median(decided));
}

async function measure(
  service: Service,
  pid: number,
  signWith: string,
  user: Credentials,
): Promise<Map<string, [number, 'ms' | 's' | 'MB']>> {
  const found = new Map<string, [number, 'ms' | 's' | 'MB']>();
  const note = (what: string, ms: number) => void found.set(what, [round(ms), 'ms']);
  found.set('processor time to ready', [cpuSeconds([pid]) ?? Number.NaN, 's']);
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  found.set('memory when ready', [Math.round((Number(resident) * 1024) / 1e6), 'MB']);
  const sign = signing(service.root, signWith);
  const signed = await ask(service, sign);
  const { id: activityId } = (JSON.parse(signed.text) as { activity: { id: string } }).activity;
  const single = async (what: string, sent: Sent, credentials = service.root) => {
    for (let i = 0; i < FEW; i++) await ask(service, sent, credentials);
    note(what, await medianOf(REPEATS, async () => (await ask(service, sent, credentials)).ms));
  };
  await single('sign_raw_payload', sign);
  await single('sign_raw_payload by policy', sign, user);
  await single('whoami', { path: '/public/v1/query/whoami', body: () => ({}) });
  await single('get_activity', { path: '/public/v1/query/get_activity', body: () => ({ activityId }) });
  await lists(service, note);
  await policyChange(service, user, sign, note);
  return found;
}

type Options = {
  program: string;
  engine: GrowthFigures['engine'];
  quick: boolean;
  database(): Promise<string | undefined>;
  say(text: string): void;
};

async function measureOne(options: Options, { data, ...more }: Partial<Scale> & { data: string }) {
  const { program, say } = options;
  const { folder, remove } = freshFolder();
  try {
    const databaseUrl = await options.database();
    const first = await startOn(folder, databaseUrl, program);
    const credentialsFile = join(folder, 'root-credentials.json');
    const root = readCredentials(credentialsFile);
    let signWith: string;
    let user: Credentials;
    try {
      signWith = await createAccount(first.port, root, signRawPayload.account);
      const conditions = [`activity.action == 'SIGN' && wallet_account.address == '${signWith}'`];
      const servers = { ports: [first.port], pids: [first.pid], credentialsFile, signWith, stop: first.stop };
      user = readCredentials((await withUser(servers, conditions)).credentialsFile);
    } finally {
      await first.stop();
    }
    say(`filling: ${data}`);
    await fill({ folder, databaseUrl }, root.organizationId, { ...NOTHING, ...more }, say);
    const again = await startOn(folder, databaseUrl, program);
    try {
      say(`measuring: ${data}`);
      return await measure({ port: again.port, root }, again.pid, signWith, user);
    } finally {
      await again.stop();
    }
  } finally {
    remove();
  }
}

export async function measureGrowth(options: Options): Promise<GrowthFigures[]> {
  const figures: GrowthFigures[] = [];
  const [nothing, ...sets] = scales(options.quick);
  const empty = await measureOne(options, nothing!);
  for (const set of sets)
    for (const [ask, [value, unit]] of await measureOne(options, set)) {
      const before = empty.get(ask)![0];
      const { engine } = options;
      figures.push({
        operation: 'growth',
        engine,
        data: set.data,
        ask,
        value,
        unit,
        least: before,
        ratio: round(value / before),
        node: process.version,
      });
    }
  return figures;
}

/** A line for each question, a column for each data set. */
export function growthTable(figures: readonly GrowthFigures[]): string {
  const sets = [...new Set(figures.map(({ data }) => data))];
  const asks = [...new Set(figures.map(({ ask }) => ask))];
  const cell = (data: string, ask: string) => {
    const of = figures.find((one) => one.data === data && one.ask === ask)!;
    return `${of.value.toFixed(2)} (${of.ratio.toFixed(2)})`;
  };
  const rows = asks.map((ask) => {
    const { least, unit } = figures.find((one) => one.ask === ask)!;
    return [ask, unit, least.toFixed(2), ...sets.map((data) => cell(data, ask))];
  });
  const all = [['', '', 'least', ...sets.map((_, i) => `set ${i + 1}`)], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const lines = all.map((row) =>
    row.map((text, column) => (column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!))).join('  '),
  );
  const named = [`least: ${FEW_ROWS} of each`, ...sets.map((data, i) => `set ${i + 1}: ${data}`)];
  return [
    `What much stored data costs (${figures[0]?.engine}); in parentheses: times what it costs with next to nothing`,
    '',
    ...lines,
    '',
    ...named,
  ].join('\n');
}
