import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { limitOfSignatures } from '../activities/velocity-controls/spends.ts';
import { type Client, ethereumAccount, resultOf } from '../support/client.ts';
import { engineName, freshMigrated } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { seeded } from '../support/seeded.ts';
import { waitFor } from '../support/wait.ts';

const ROUNDS = amount(3, 10, 30);
const SIGNERS = 20;
const LONGEST_MS = 5_000;
const COUNT =
  "SELECT COUNT(*) AS n FROM activities WHERE type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' AND status = 'ACTIVITY_STATUS_COMPLETED'";

/** Records take time, so that some are under way at each freeze. */
const SLOWER = `CREATE FUNCTION slower() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.04); RETURN NEW; END $$;
CREATE TRIGGER slower BEFORE INSERT ON activities FOR EACH ROW WHEN (NEW.type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2') EXECUTE FUNCTION slower()`;

const skip = engineName === 'sqlite' && 'needs PostgreSQL';
let dataDir: string;
let database: NonNullable<Awaited<ReturnType<typeof freshMigrated>>>;
let services: ServiceProcess[] = [];
let watching: pg.Client;
before(async () => {
  if (skip) return;
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-two-'));
  database = (await freshMigrated(dataDir))!;
  const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
  services = await Promise.all([startProcess(env), startProcess(env)]);
  await Promise.all(services.map((service) => service.ready()));
  watching = new pg.Client({ connectionString: database.url });
  await watching.connect();
  await watching.query(SLOWER);
});
after(async () => {
  await watching?.end();
  for (const service of services) service.child.kill('SIGTERM');
  for (const service of services) await service.exited;
  await database?.drop();
  if (dataDir) rmSync(dataDir, { recursive: true, force: true });
});

const signing = (client: Client, signWith: string) =>
  client.submit('SIGN_RAW_PAYLOAD_V2', {
    signWith,
    payload: '11'.repeat(32),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  });

/** `most`: signatures before a freeze. */
async function stops(walletName: string, most: number): Promise<void> {
  const clients = services.map((service) => service.root());
  const made = await clients[0]!.submit('CREATE_WALLET', { walletName, accounts: [ethereumAccount()] });
  const { walletId, addresses } = resultOf(made, 'createWalletResult');
  const count = async () => Number((await watching.query(COUNT)).rows[0].n);
  const random = seeded(1);
  for (let round = 0; round < ROUNDS; round++) {
    const what = round % 3 === 2 ? { organization: true } : { walletId };
    const late: string[] = [];
    let isAnswered = false;
    let done = 0;
    const signers = Array.from({ length: SIGNERS }, async (_, i) => {
      for (;;) {
        const isAfter = isAnswered;
        const { status, text } = await signing(clients[i % 2]!, addresses[0]);
        if (status !== 200) return assert.match(text, /FROZEN/);
        if (isAfter) late.push(text);
        done++;
      }
    });
    const enough = random(most);
    await waitFor('some signatures', () => done >= enough);
    const begun = performance.now();
    const answer = await clients[round % 2]!.submit('COUNTERSIGN_FREEZE', { ...what, reason: 'an alarm' });
    const took = performance.now() - begun;
    isAnswered = true;
    const recorded = await count();
    resultOf(answer, 'countersignFreezeResult');
    await Promise.all(signers);
    assert.deepEqual(late, []);
    assert.equal(await count(), recorded, 'no signature is recorded after the answer');
    assert.ok(took < LONGEST_MS, `the freeze took ${took} ms`);
    resultOf(await clients[0]!.submit('COUNTERSIGN_UNFREEZE', { ...what, reason: 'over' }), 'countersignUnfreezeResult');
  }
}

test('a freeze by one process stops the signatures of two from its answer on', { skip }, () => stops('Main', 100));

test('the same holds where both write the counter of a limit that binds every signer', { skip }, async () => {
  const client = services[0]!.root();
  const before = Number((await watching.query(COUNT)).rows[0].n);
  const limit = resultOf(await client.submit('CREATE_VELOCITY_CONTROL', limitOfSignatures()), 'createVelocityControlResult');
  await stops('Limited', 30);
  const entries = await watching.query('SELECT activity_id FROM velocity_entries');
  assert.equal(entries.rowCount, Number((await watching.query(COUNT)).rows[0].n) - before);
  resultOf(await client.submit('DELETE_VELOCITY_CONTROL', limit), 'deleteVelocityControlResult');
});

test('a freeze is answered when a statement that began before it has ended', { skip }, async () => {
  const client = services[0]!.root();
  const { walletId } = resultOf(await client.submit('CREATE_WALLET', { walletName: 'Slow', accounts: [] }), 'createWalletResult');
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  let hasEnded = false;
  const statement = other.query('SELECT pg_sleep(1)').then(() => {
    hasEnded = true;
  });
  resultOf(await client.submit('COUNTERSIGN_FREEZE', { walletId, reason: 'an alarm' }), 'countersignFreezeResult');
  assert.ok(hasEnded);
  await statement;
  await other.end();
});

test('a freeze is answered after five seconds, also beside a statement that goes on', { skip }, async () => {
  const client = services[0]!.root();
  const { walletId } = resultOf(await client.submit('CREATE_WALLET', { walletName: 'Long', accounts: [] }), 'createWalletResult');
  const [other, third] = [0, 1].map(() => new pg.Client({ connectionString: database.url }));
  await Promise.all([other!.connect(), third!.connect()]);
  const [{ pid }] = (await other!.query('SELECT pg_backend_pid() AS pid')).rows;
  let hasEnded = false;
  const statement = other!
    .query('SELECT pg_sleep(60)')
    .catch(() => {})
    .finally(() => {
      hasEnded = true;
    });
  const begun = performance.now();
  resultOf(await client.submit('COUNTERSIGN_FREEZE', { walletId, reason: 'an alarm' }), 'countersignFreezeResult');
  const took = performance.now() - begun;
  assert.equal(hasEnded, false);
  // Not much less than five seconds: it waited for the statement.
  assert.ok(took > 4_000, `${took} ms`);
  await third!.query('SELECT pg_cancel_backend($1)', [pid]);
  await statement;
  await Promise.all([other!.end(), third!.end()]);
});

test('a freeze is answered when a transaction that wrote before it has ended', { skip }, async () => {
  const client = services[0]!.root();
  const { walletId } = resultOf(await client.submit('CREATE_WALLET', { walletName: 'Held', accounts: [] }), 'createWalletResult');
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  await other.query('CREATE TEMPORARY TABLE written (n int); BEGIN; INSERT INTO written VALUES (1)');
  let isAnswered = false;
  const frozen = client.submit('COUNTERSIGN_FREEZE', { walletId, reason: 'an alarm' }).finally(() => {
    isAnswered = true;
  });
  await waitFor('the freeze is written', async () =>
    (await client.query('list_freezes')).body.freezes.some((one: { walletId?: string }) => one.walletId === walletId),
  );
  // Without the transaction the answer comes at once.
  await pause(500);
  assert.equal(isAnswered, false);
  await other.query('COMMIT');
  resultOf(await frozen, 'countersignFreezeResult');
  await other.end();
});
