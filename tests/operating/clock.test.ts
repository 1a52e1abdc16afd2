import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cli } from '../support/cli.ts';
import { apiKey, type Client, clientOf, newKeys, resultOf } from '../support/client.ts';
import { engineName, freshDatabase, plainSql } from '../support/database.ts';
import { startInstance } from '../support/instance.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const WRONG_CLOCK = join(import.meta.dirname, '../support/wrong-clock.ts');
const HOUR = 3_600_000;

let dataDir: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let env: Record<string, string>;
let keys: { apiPublicKey: string; apiPrivateKey: string; organizationId: string };

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-clock-'));
  database = await freshDatabase();
  env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
});
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** How wrong the clock is that clients go by: that of the service's machine. */
let wrong = 0;
const timestamp = () => ({ timestampMs: String(Date.now() + wrong) });

/** The service on a machine whose clock is wrong by this much. */
async function onMachine<T>(by: number, use: (client: Client, service: ServiceProcess) => Promise<T>): Promise<T> {
  wrong = by;
  const service = await startProcess({ ...env, CLOCK_WRONG_MS: String(wrong) }, WRONG_CLOCK);
  try {
    await service.ready();
    keys = JSON.parse(readFileSync(join(dataDir, 'root-credentials.json'), 'utf8'));
    const pair = { publicKey: keys.apiPublicKey, privateKey: keys.apiPrivateKey };
    return await use(clientOf(service.url, pair, keys.organizationId), service);
  } finally {
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, service.output());
  }
}

async function countersign(...args: string[]): Promise<{ code: number; text: string }> {
  const { code, out, err } = await cli(args, { env });
  return { code, text: out + err };
}

const readyOf = async ({ url }: ServiceProcess) => {
  const answer = await fetch(`${url}/ready`);
  return { status: answer.status, body: (await answer.json()) as { status: string; warnings?: { code: string }[] } };
};

/** The newest activities first, as the list has them. */
async function newest(client: Client): Promise<string[]> {
  const { body } = await client.query('list_activities', { paginationOptions: { limit: '3' } });
  return body.activities.map(({ id }: { id: string }) => id);
}

const tag = async (client: Client, userTagName: string): Promise<string> => {
  const answer = await client.submit('CREATE_USER_TAG', { userTagName, userIds: [] }, timestamp());
  resultOf(answer, 'createUserTagResult');
  return answer.body.activity.id;
};

test(`a clock that goes back brings no expired key back and no activity out of order, until it is reset, on ${engineName}`, async () => {
  const expiring = newKeys();
  const made: string[] = [];
  // The machine was two hours ahead, unnoticed.
  await onMachine(2 * HOUR, async (root) => {
    made.unshift(await tag(root, 'first'));
    const { userId } = (await root.query('whoami')).body;
    const key = apiKey(expiring, { expirationSeconds: '1' });
    resultOf(await root.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [key] }, timestamp()), 'createApiKeysResult');
    for (;;) {
      const { status } = await root.as(expiring).query('whoami');
      if (status === 401) break;
    }
    made.unshift(await tag(root, 'second'));
  });
  await onMachine(0, async (root, service) => {
    made.unshift(await tag(root, 'after the clock was corrected'));
    assert.deepEqual((await newest(root)).slice(0, 2), made.slice(0, 2));
    const refused = await root.as(expiring).query('whoami');
    assert.deepEqual([refused.status, refused.body.details[0].turnkeyErrorCode], [401, 'API_KEY_EXPIRED']);
    const { status, body } = await readyOf(service);
    assert.deepEqual([status, body.status, body.warnings?.map(({ code }) => code)], [200, 'ready', ['CLOCK_BEHIND']]);
    assert.match(service.output(), /"code":"CLOCK_BEHIND".*clock reset/);
    // A body that is dated by the service's time, and not the machine's, is in the future.
    const timestampMs = String(Date.now() + 2 * HOUR);
    const early = await root.submit('CREATE_USER_TAG', { userTagName: 'early', userIds: [] }, { timestampMs });
    assert.equal(early.status, 400);
    assert.match(early.body.message, /too far in the future: .* the clock of the service's machine says/);
    const planned = await countersign('clock', 'reset', '--reason', 'the service runs', '--dry-run');
    assert.match(planned.text, /It would be set back to .* Nothing was changed\./);
    if (engineName === 'postgres') return;
    const { code, text } = await countersign('clock', 'reset', '--reason', 'the service runs');
    assert.equal(code, 1);
    assert.match(text, /another process already uses this data folder.*Stop it/);
  });

  const asked = await countersign('clock', 'reset', '--reason', 'NTP was off', '--dry-run');
  assert.equal(asked.code, 0, asked.text);
  assert.match(asked.text, /7[12]\d\d s ahead of this machine's clock\.\nIt would be set back to .* Nothing was changed\./);
  // The database was restored while the clock was wrong.
  const sql = (text: string, ...values: unknown[]) => plainSql({ folder: dataDir, url: database?.url }, text, values);
  const wrongly = { refusesBefore: Date.now() + 2 * HOUR, sendsBefore: Date.now() + 2 * HOUR };
  const copied = { cause: 'restored', detail: '', since: '', ended: '', held: [], ...wrongly };
  await sql("INSERT INTO instance (key, value) VALUES ('quarantine', $1)", JSON.stringify(copied));
  const done = await countersign('clock', 'reset', '--reason', 'NTP was off', '--json');
  const limits = JSON.parse(String((await sql("SELECT value FROM instance WHERE key = 'quarantine'"))[0]!.value));
  assert.ok(limits.refusesBefore <= Date.now() + 300_000 && limits.sendsBefore <= Date.now(), JSON.stringify(limits));
  await sql("DELETE FROM instance WHERE key = 'quarantine'");
  const { ahead, changed, from, to } = JSON.parse(done.text);
  assert.deepEqual([done.code, ahead, changed], [0, true, true]);
  assert.ok(from - to > HOUR);
  const again = await countersign('clock', 'reset', '--reason', 'NTP was off');
  assert.match(again.text, /is not ahead of this machine's clock.*Nothing was changed/);

  await onMachine(0, async (root, service) => {
    assert.deepEqual(await readyOf(service), { status: 200, body: { status: 'ready' } });
    assert.match(service.output(), /set back/);
    assert.match(service.output(), /"reason":"NTP was off"/);
    const now = [await tag(root, 'third'), await tag(root, 'fourth')];
    assert.deepEqual(now, now.toSorted());
    assert.ok(now[0]! < made.at(-1)!, 'what was dated in the future stays there');
  });
});

test('a reset needs a reason and a database', async () => {
  assert.match((await countersign('clock', 'reset')).text, /^give a reason: countersign clock reset --reason TEXT/);
  assert.match((await countersign('clock', 'show')).text, /^there is no "clock show"/);
  assert.match((await countersign('clock', 'reset', '--help')).text, /^Usage: countersign clock reset/);
  if (engineName === 'postgres') return;
  const nowhere = join(dataDir, 'nowhere');
  env = { DATA_DIR: nowhere };
  const { code, text } = await countersign('clock', 'reset', '--reason', 'x');
  env = { DATA_DIR: dataDir };
  assert.deepEqual(
    [code, text.trim()],
    [2, `DATA_DIR ${nowhere} has no database: set DATA_DIR or DATABASE_URL as for the service`],
  );
});

test(`a leap of the machine's clock is warned of, moves what timestampMs is judged by, and is adopted after ten minutes, on ${engineName}`, async () => {
  const instance = await startInstance();
  try {
    const { root, clock, url } = instance;
    const ready = async () => ((await (await fetch(`${url}/ready`)).json()) as { warnings?: { code: string }[] }).warnings ?? [];
    const createdAt = async () => {
      const parameters = { userTagName: `at ${clock.now()}`, userIds: [] };
      const answer = await root.submit('CREATE_USER_TAG', parameters, { timestampMs: String(clock.now()) });
      assert.equal(answer.status, 200, answer.text);
      return Number(answer.body.activity.createdAt.seconds) * 1000;
    };
    const start = await createdAt();
    clock.set(2 * HOUR);
    assert.ok((await createdAt()) < start + HOUR);
    assert.deepEqual(
      (await ready()).map(({ code }) => code),
      ['CLOCK_AHEAD'],
    );
    const { status } = await root.submit(
      'CREATE_USER_TAG',
      { userTagName: 'late', userIds: [] },
      { timestampMs: String(clock.now() - 2 * HOUR) },
    );
    assert.equal(status, 400, 'too old by the clock of the machine');
    clock.advance(600_000);
    assert.ok((await createdAt()) >= start + 2 * HOUR);
    assert.deepEqual(await ready(), []);
  } finally {
    await instance.close();
  }
});
