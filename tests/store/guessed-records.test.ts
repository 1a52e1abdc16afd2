import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STATEMENT_LIMITS } from '../../src/base/database-url.ts';
import { stepsIn } from '../../src/model/velocity-control.ts';
import type { Window } from '../../src/model/velocity-window.ts';
import { countedOnPostgres } from '../../src/store/counted-on-postgres.ts';
import { openPostgres } from '../../src/store/engines/postgres.ts';
import { KnownCounters } from '../../src/store/guessed-records.ts';
import { counterKey } from '../../src/store/repositories/policies/velocity-counters.ts';
import { engineName } from '../support/database.ts';
import { fill, finished, idOf, NOW, openMigrated } from './fixture.ts';
import { spendOf, velocityControlOf } from './repositories/policies/velocity-row.ts';

const STEP_MS = 100_000;
const window: Window = { kind: 'rolling', seconds: (STEP_MS * 96) / 1000 };

test('counters that outgrow what a process keeps are written, and read again for the next record', async () => {
  const known = new KnownCounters(1_000);
  const large = 10n ** 120n;
  const now = Math.floor(NOW / STEP_MS);
  const steps = [2, 1].map((before) => ({ number: now - before, amount: large, count: 1 }));
  const spends = ['a', 'b'].map((bucket) => spendOf('limit', { bucket, amount: large, window }));
  known.keep(new Map(spends.map((spend) => [counterKey(idOf('org'), spend), steps])));
  const record = { ...finished('org', 'large', 1), spends };
  assert.equal(await known.record(async () => true, [record]), true);
  // The least recently used one is no longer kept, so nothing is tried.
  assert.equal(await known.record(() => assert.fail('it is not tried'), [record]), undefined);
});

test('batches of one counter follow each other, and take one statement each once it is known', async (t) => {
  if (engineName !== 'postgres') return t.skip('SQLite has one writer');
  const opened = await openMigrated();
  t.after(() => opened.close());
  await opened.store.transaction(async (tx) => {
    await fill(tx, idOf('org'), null);
    await tx.velocityControls.insert(velocityControlOf(idOf('org'), 'limit'));
  });
  const { version } = (await opened.store.read.organizations.get(idOf('org')))!;
  const processes = Array.from({ length: 2 }, () => {
    const driver = openPostgres(opened.url!, { ...STATEMENT_LIMITS, poolSize: 4 });
    const counts = { transactions: 0 };
    const transaction: typeof driver.transaction = (work, patienceMs) => {
      counts.transactions++;
      return driver.transaction(work, patienceMs);
    };
    return { driver, counts, record: countedOnPostgres({ write: (work) => driver.write(work), transaction }) };
  });
  t.after(() => Promise.all(processes.map(({ driver }) => driver.close())));
  const [own, other] = processes as [(typeof processes)[0], (typeof processes)[0]];
  let made = 0;
  const batch = (of: typeof own) => {
    const records = Array.from({ length: 4 }, () => ({
      ...finished(idOf('org'), `one ${made++}`, version),
      spends: [spendOf('limit')],
    }));
    return of.record(records);
  };
  const lane = async (batches: number) => {
    for (let i = 0; i < batches; i++) assert.deepEqual(await batch(own), Array(4).fill('written'));
  };
  await Promise.all([lane(10), lane(10)]);
  // The first finds no counter, and reads it once it is created.
  assert.equal(own.counts.transactions, 2);
  // One finds the counter changed, and the next one reads it.
  await Promise.all([lane(10), lane(10), batch(other)]);
  assert.ok(own.counts.transactions <= 4, `${own.counts.transactions} transactions`);
  const [steps] = await opened.raw('SELECT steps FROM velocity_counters WHERE control_id = $1', idOf('limit'));
  const sum = stepsIn(JSON.parse(steps!.steps as string)).reduce((all, { count }) => all + count, 0);
  assert.equal(sum, made);
});
