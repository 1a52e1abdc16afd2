import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { weiControl } from '../activities/velocity-controls/spends.ts';
import { aggregation, method } from '../activities/velocity-controls/support.ts';
import { type Answer, type Client, ethereumAccount, resultOf, submitPath } from '../support/client.ts';
import { engineName, freshDatabase, freshMigrated, rawSql } from '../support/database.ts';
import { amount, partOf } from '../support/full.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { seeded } from '../support/seeded.ts';

/** On PostgreSQL another process, which is not killed, keeps the acknowledged writes. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? (engineName === 'sqlite' ? amount(1, 3, 30) : amount(1, 2, 15)));
const WORKERS = 8;
const STEPS = join(import.meta.dirname, '../support/steps.ts');
const next = seeded(Number(process.env.TEST_SEED ?? 1));

let dataDir: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let env: Record<string, string>;

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-crash-'));
  database = await freshMigrated(dataDir);
  env = { DATA_DIR: dataDir, LIMIT_WALLETS: '100000', ...(database ? { DATABASE_URL: database.url } : {}) };
});
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

type Acknowledged = { path: string; body: string; activity: { id: string; result: unknown } };

/** Every activity since the control, and nothing else, is counted once: in its entry and in the counter. */
async function assertCounted(): Promise<void> {
  const raw = (sql: string) => rawSql({ folder: dataDir, url: database?.url }, sql, []);
  const alone = await raw(
    `SELECT a.type, e.activity_id FROM velocity_entries e
      FULL JOIN (SELECT * FROM activities WHERE status = 'ACTIVITY_STATUS_COMPLETED') a
      ON a.organization_id = e.organization_id AND a.id = e.activity_id
      WHERE a.id IS NULL OR e.activity_id IS NULL`,
  );
  assert.deepEqual(
    alone.map(({ type }) => type),
    ['ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL'],
  );
  const [{ entries }] = (await raw('SELECT COUNT(*) AS entries FROM velocity_entries')) as [{ entries: number }];
  const [counter] = await raw('SELECT steps FROM velocity_counters');
  const counted = (JSON.parse(counter!.steps as string) as [number, string, number][]).reduce(
    (sum, [, , count]) => sum + count,
    0,
  );
  assert.equal(counted, Number(entries));
}

type Killer = { event(): void; killed(): boolean };

/**
 * The moment of the kill: a number of events (a request sent, an answer received), and then of turns of the event loop.
 * By counts and not by a clock, so that a slow machine does as much in a round as a fast one.
 */
function killer(service: ServiceProcess): Killer {
  let events = 20 + next(80);
  const turns = next(40);
  const kill = async () => {
    for (let i = 0; i < turns; i++) await turn();
    service.child.kill('SIGKILL');
  };
  return {
    event() {
      events -= 1;
      if (events === 0) void kill();
    },
    killed: () => events <= 0,
  };
}

/** Submits signatures and wallets without pause until the service dies under it. */
async function load(
  client: Client,
  address: string,
  name: (i: number) => string,
  kill: Killer,
  acknowledged: Acknowledged[],
  pending: { path: string; body: string }[],
): Promise<void> {
  for (let i = 0; ; i++) {
    const [type, parameters] =
      i % 4 === 0
        ? ['CREATE_WALLET', { walletName: name(i), accounts: [ethereumAccount(i)] }]
        : [
            'SIGN_RAW_PAYLOAD_V2',
            {
              signWith: address,
              payload: Buffer.from(name(i)).toString('hex'),
              encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
              hashFunction: 'HASH_FUNCTION_SHA256',
            },
          ];
    const path = submitPath(type as string);
    const body = client.bodyOf(type as string, parameters);
    const sent = client.send(path, body);
    kill.event();
    let answer: Answer;
    try {
      answer = await sent;
    } catch (error) {
      assert.ok(kill.killed(), `a request failed before the service was killed: ${error}`);
      pending.push({ path, body });
      return;
    }
    kill.event();
    if (answer.status === 200) acknowledged.push({ path, body, activity: answer.body.activity });
    else if (answer.status === 503) pending.push({ path, body });
    else assert.fail(`unexpected answer: ${answer.status} ${answer.text}`);
  }
}

test(`kill -9 under load at random moments, ${ROUNDS} rounds: what was acknowledged is there, nothing runs twice`, async () => {
  let address: string | undefined;
  let before: Acknowledged[] = [];
  let unanswered: { path: string; body: string }[] = [];
  let total = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const service = await startProcess(env);
    await service.ready();
    const credentials = JSON.parse(readFileSync(join(dataDir, 'root-credentials.json'), 'utf8'));
    assert.equal(Object.keys(credentials).length, 5);
    const client = service.root();
    for (const { path, body, activity } of before) {
      const { activity: found } = (await client.query('get_activity', { activityId: activity.id })).body;
      assert.equal(found.status, 'ACTIVITY_STATUS_COMPLETED');
      const { activity: _, ...result } = activity.result as Record<string, unknown>;
      assert.deepEqual(found.result, result);
      const again = await client.send(path, body);
      assert.equal(again.body.activity.id, activity.id, 'the same body is the same activity after a crash');
    }
    // What was in flight either happened as a whole or not at all: sent again, it completes exactly once.
    for (const { path, body } of unanswered) {
      const [first, second] = [await client.send(path, body), await client.send(path, body)];
      assert.equal(first.status, 200, first.text);
      assert.equal(second.body.activity.id, first.body.activity.id);
    }
    total += before.length;
    if (address === undefined) {
      const control = weiControl('executed', 0n, {
        dataSource: { activityExecution: {} },
        aggregation: aggregation({ method: method('COUNT'), threshold: '1000000' }),
      });
      resultOf(await client.submit('CREATE_VELOCITY_CONTROL', control), 'createVelocityControlResult');
    }
    address ??= resultOf(
      await client.submit('CREATE_WALLET', { walletName: 'Signer', accounts: [ethereumAccount()] }),
      'createWalletResult',
    ).addresses[0] as string;
    await assertCounted();
    if (round === ROUNDS) {
      const { wallets } = (await client.query('list_wallets')).body;
      const names = wallets.map((w: { walletName: string }) => w.walletName);
      assert.equal(new Set(names).size, names.length, 'no wallet was made twice');
      service.child.kill('SIGTERM');
      assert.equal(await service.exited, 0, service.output());
      break;
    }
    before = [];
    unanswered = [];
    const kill = killer(service);
    const named = (w: number) => (i: number) => `r${round}w${w}i${i}`;
    const workers = Array.from({ length: WORKERS }, (_, w) => load(client, address!, named(w), kill, before, unanswered));
    await Promise.all([service.exited, ...workers]);
  }
  // Of a round's 20 events or more, at most one for each worker is a request that is still waited for.
  assert.ok(total >= (ROUNDS * (20 - WORKERS)) / 2, `only ${total} activities were acknowledged`);
});

type Folder = { dataDir: string; settings: Record<string, string> };

async function withEmpty(use: (folder: Folder) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-first-'));
  const fresh = await freshDatabase();
  try {
    await use({ dataDir, settings: { DATA_DIR: dataDir, ...(fresh ? { DATABASE_URL: fresh.url } : {}) } });
  } finally {
    await fresh?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function stopped(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
}

/** The steps of a first start, up to the last one that a later start rests on. */
async function stepsOfFirstStart(): Promise<string[]> {
  let steps: string[] = [];
  await withEmpty(async ({ dataDir, settings }) => {
    const file = join(dataDir, 'steps');
    const service = await startProcess({ ...settings, STEPS_FILE: file }, STEPS);
    await service.ready();
    steps = readFileSync(file, 'utf8').trimEnd().split('\n');
    await stopped(service);
  });
  return steps.slice(0, steps.findLastIndex((step) => step.includes('"service_keys"')) + 1);
}

test('kill -9 at each step of the first start: the next start comes up with one organization and whole files', async () => {
  const steps = await stepsOfFirstStart();
  const isFile = (step: string) => step.startsWith('file ') && !/fsync|close/.test(step);
  const moments = steps.flatMap((step, n) => (isFile(step) || step === 'sql COMMIT' || n % 24 === 0 ? [n] : []));
  assert.equal(steps.filter((step) => step.startsWith('file linkSync')).length, 2, 'the root key and the credentials');
  for (const n of partOf(moments, engineName === 'sqlite' ? 48 : 80, 20)) {
    await withEmpty(async ({ dataDir, settings }) => {
      const first = await startProcess({ ...settings, DIE_AT_STEP: String(n) }, STEPS);
      assert.equal(await first.exited, null, `before ${steps[n]}: ${first.output()}`);
      const second = await startProcess(settings);
      await second.ready();
      assert.equal((await second.root().query('whoami')).status, 200, steps[n]);
      await stopped(second);
      assert.deepEqual(
        readdirSync(dataDir).filter((name) => name.endsWith('.tmp')),
        [],
        `drafts are left after a kill before ${steps[n]}`,
      );
    });
  }
});
