/** A signature that two limits over time count. The service is killed before each write of its record, and after the last one. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compareCounters } from '../../src/operator/velocity-check.ts';
import { openReadOnly } from '../../src/store/store.ts';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { type Answer, type Client, ethereumAccount, resultOf, submitPath } from '../support/client.ts';
import { engineName, freshMigrated, rawSql } from '../support/database.ts';
import { startProcess } from '../support/process.ts';

const STEPS = join(import.meta.dirname, '../support/steps.ts');
const SIGN = 'SIGN_TRANSACTION_V2';
const PATH = submitPath(SIGN);
const MOST_STEPS = 30;
/** The first write of a record. */
const FIRST = engineName === 'sqlite' ? 'UPDATE velocity_counters' : 'WITH given';
const ALWAYS = { countersign: { enforcement: 'ALWAYS' } };

let dataDir: string;
let database: Awaited<ReturnType<typeof freshMigrated>>;
let env: Record<string, string>;
let address: string;
before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-velocity-crash-'));
  database = await freshMigrated(dataDir);
  env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
  await running({}, async (client) => {
    const wallet = await client.submit('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] });
    [address] = resultOf(wallet, 'createWalletResult').addresses;
    const lifetime = { window: { infinite: {} } };
    for (const control of [weiControl('daily', 1_000n, ALWAYS), weiControl('lifetime', 1_000n, ALWAYS, lifetime)])
      resultOf(await client.submit('CREATE_VELOCITY_CONTROL', control), 'createVelocityControlResult');
    resultOf(await client.submit(SIGN, signWei(address, 1n)), 'signTransactionResult');
  });
});
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function running<T>(steps: Record<string, string>, use: (client: Client) => Promise<T>): Promise<T> {
  const service = await startProcess({ ...env, ...steps }, STEPS);
  try {
    await service.ready();
    return await use(service.root());
  } finally {
    service.child.kill('SIGKILL');
    await service.exited;
  }
}

type Life = { body: string; answer: Answer | undefined; steps: string[] };

/** The writes of one record count. `isKnown`: the process has written the counters before. */
async function life(dies: Record<string, string>, isKnown: boolean): Promise<Life> {
  const [file, armed] = [join(dataDir, 'steps'), join(dataDir, 'armed')];
  for (const name of [file, armed]) rmSync(name, { force: true });
  writeFileSync(file, '');
  return running({ STEPS_FILE: file, STEPS_FROM: armed, STEPS_OF: '^sql (?!select|SELECT)', ...dies }, async (client) => {
    if (isKnown) resultOf(await client.submit(SIGN, signWei(address, 1n)), 'signTransactionResult');
    const body = client.bodyOf(SIGN, signWei(address, 1n));
    // An empty text would be in every step.
    writeFileSync(`${armed}.new`, FIRST);
    renameSync(`${armed}.new`, armed);
    const answer = await client.send(PATH, body).catch(() => undefined);
    return { body, answer, steps: readFileSync(file, 'utf8').split('\n').slice(0, -1) };
  });
}

/** Each signature has an entry in both counters, and no entry is without its signature. Returns the number of signatures. */
async function assertWhole(): Promise<number> {
  const at = { folder: dataDir, url: database?.url };
  const signed = `SELECT * FROM activities WHERE type = 'ACTIVITY_TYPE_${SIGN}' AND status = 'ACTIVITY_STATUS_COMPLETED'`;
  const rows = await rawSql(
    at,
    `SELECT a.id, COUNT(e.activity_id) AS entries FROM velocity_entries e
      FULL JOIN (${signed}) a ON a.organization_id = e.organization_id AND a.id = e.activity_id GROUP BY a.id`,
    [],
  );
  for (const { id, entries } of rows) assert.deepEqual([id !== null, Number(entries)], [true, 2]);
  const store = openReadOnly(at);
  try {
    assert.deepEqual((await compareCounters(store.read, Date.now)).differing, []);
  } finally {
    await store.close();
  }
  return rows.length;
}

type Kind = readonly [what: string, isKnown: boolean, writes: readonly RegExp[]];

/** Where it must have been killed, in their order. On PostgreSQL a record is one statement if its counters are known. */
const KINDS: Record<typeof engineName, readonly Kind[]> = {
  sqlite: [['known', true, [/UPDATE velocity_counters/, /insert into "activities"/, /insert into "velocity_entries"/, /COMMIT/]]],
  postgres: [
    ['known', true, [/WITH given/]],
    ['unknown', false, [/WITH given/, /WITH changed/, /COMMIT/]],
  ],
};

for (const [what, isKnown, writes] of KINDS[engineName])
  test(`kill -9 around each write of a record with ${what} counters: it is whole or not there, and counts once`, async () => {
    const base = await assertWhole();
    const bodies: string[] = [];
    const killedBefore: string[] = [];
    let all: string[] | undefined;
    while (all === undefined) {
      assert.ok(bodies.length < MOST_STEPS, killedBefore.join('\n'));
      const { body, answer, steps } = await life({ DIE_AT_STEP: String(bodies.length) }, isKnown);
      await assertWhole();
      bodies.push(body);
      if (answer === undefined) killedBefore.push(steps.at(-1)!);
      else {
        assert.equal(answer.status, 200, answer.text);
        all = steps;
      }
    }
    for (const write of writes)
      assert.ok(
        killedBefore.some((step) => write.test(step)),
        `${write}: ${killedBefore.join('\n')}`,
      );
    const written = all.findLastIndex((step) => /velocity_entries|WITH (given|changed)/.test(step));
    const last = all.findIndex((step, i) => i >= written && writes.at(-1)!.test(step));
    const before = await assertWhole();
    const { body, answer } = await life({ DIE_AFTER_STEP: String(last) }, isKnown);
    assert.equal(answer, undefined);
    bodies.push(body);
    assert.equal(await assertWhole(), before + (isKnown ? 2 : 1), 'it is recorded, although nothing was answered');
    // Sent again, each counts once, also if it was recorded.
    await running({}, async (client) => {
      for (const one of bodies) {
        const [first, second] = [await client.send(PATH, one), await client.send(PATH, one)];
        assert.equal(first.status, 200, first.text);
        assert.equal(second.body.activity.id, first.body.activity.id);
      }
    });
    assert.equal(await assertWhole(), base + bodies.length * (isKnown ? 2 : 1));
  });
