import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Answer, type Client, ethereumAccount, resultOf, submitPath } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startProcess } from '../support/process.ts';

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 30);
const WORKERS = 8;

let dataDir: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let env: Record<string, string>;

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-crash-'));
  database = await freshDatabase();
  env = { DATA_DIR: dataDir, LIMIT_WALLETS: '100000', ...(database ? { DATABASE_URL: database.url } : {}) };
});
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

type Acknowledged = { path: string; body: string; activity: { id: string; result: unknown } };

/** Submits signatures, wallets and users without pause until the service dies under it. */
async function load(
  client: Client,
  address: string,
  round: number,
  worker: number,
  acknowledged: Acknowledged[],
  pending: { path: string; body: string }[],
): Promise<void> {
  for (let i = 0; ; i++) {
    const name = `r${round}w${worker}i${i}`;
    const [type, parameters] =
      i % 4 === 0
        ? ['CREATE_WALLET', { walletName: name, accounts: [ethereumAccount(i)] }]
        : [
            'SIGN_RAW_PAYLOAD_V2',
            {
              signWith: address,
              payload: Buffer.from(name).toString('hex'),
              encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
              hashFunction: 'HASH_FUNCTION_SHA256',
            },
          ];
    const path = submitPath(type as string);
    const body = client.bodyOf(type as string, parameters);
    let answer: Answer;
    try {
      answer = await client.send(path, body);
    } catch {
      pending.push({ path, body });
      return;
    }
    if (answer.status === 200) acknowledged.push({ path, body, activity: answer.body.activity });
    else if (answer.status === 503) return;
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
    address ??= resultOf(
      await client.submit('CREATE_WALLET', { walletName: 'Signer', accounts: [ethereumAccount()] }),
      'createWalletResult',
    ).addresses[0] as string;
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
    const workers = Array.from({ length: WORKERS }, (_, w) => load(client, address!, round, w, before, unanswered));
    setTimeout(() => service.child.kill('SIGKILL'), 40 + Math.random() * 250);
    await Promise.all([service.exited, ...workers]);
  }
  assert.ok(total > ROUNDS * 5, `only ${total} activities were acknowledged`);
});

test('kill -9 during the first start: the next start comes up with one organization and whole credentials', async () => {
  for (let round = 0; round < 12; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-first-'));
    const fresh = await freshDatabase();
    const settings = { DATA_DIR: folder, ...(fresh ? { DATABASE_URL: fresh.url } : {}) };
    const first = await startProcess(settings);
    setTimeout(() => first.child.kill('SIGKILL'), 150 + round * 40);
    await first.exited;
    const second = await startProcess(settings);
    await second.ready();
    assert.equal((await second.root().query('whoami')).status, 200);
    second.child.kill('SIGTERM');
    assert.equal(await second.exited, 0, second.output());
    await fresh?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});
