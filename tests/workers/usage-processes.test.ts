import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { monthOf, startOf, USAGE_MONTHS } from '../../src/model/usage.ts';
import { usageWorker } from '../../src/workers/usage.ts';
import { auditOf, fill, finished, idOf, NOW, type Opened, openMigrated } from '../store/fixture.ts';
import { usageCountOf } from '../store/repositories/billing/billing-rows.ts';
import { engineName } from '../support/database.ts';

const ORG = 'organization';
const ENDED = { completed: 'ACTIVITY_STATUS_COMPLETED', waiting: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' } as const;

/** Two workers, as in two processes, and what they have summed. Time passes with each look, so that no lease lasts. */
async function opened() {
  const database: Opened = await openMigrated();
  const { store } = database;
  let now = NOW;
  const clock = { now: () => now };
  const log = { info() {}, warn: (fields: object) => assert.fail(JSON.stringify(fields)), error() {} };
  const decode = () => assert.fail('no intent is needed');
  const workerOf = (owner: string) =>
    usageWorker({ store, clock, log, owner, decode, kinds: activities, everyMs: 1, elapsed: { now: () => performance.now() } });
  const workers = [workerOf('a'), workerOf('b')] as const;
  await store.transaction((tx) => fill(tx, ORG, null));
  await workers[0].run();
  const [filled] = await completedOn(NOW);
  async function completedOn(at: number): Promise<number[]> {
    const range = { width: 'DAY', from: startOf('DAY', at), before: at + 1 } as const;
    return (await store.read.usage.range(idOf(ORG), range)).map(({ completed }) => completed);
  }
  return {
    store,
    workers,
    advance: (ms: number) => {
      now += ms;
    },
    /** Completed since the beginning. */
    completed: async () => ((await completedOn(NOW))[0] ?? 0) - (filled ?? 0),
    async close() {
      for (const worker of workers) await worker.close();
      await database.close();
    },
  };
}

test(`each activity is counted once, whichever process sums and whenever it ended, on ${engineName}`, async () => {
  const { store, workers, completed, advance, close } = await opened();
  try {
    let expected = 0;
    const waiting: ReturnType<typeof finished>['activity'][] = [];
    const write = async (i: number) => {
      const one = finished(ORG, `activity ${i}`, 1, { status: i % 3 === 0 ? ENDED.waiting : ENDED.completed });
      assert.equal(await store.record(one), 'written');
      if (i % 3 === 0) waiting.push(one.activity);
      else expected++;
    };
    const end = async () => {
      const activity = waiting.shift()!;
      expected++;
      await store.transaction(async (tx) => {
        const outcome = { status: ENDED.completed, result: '{}', failure: null, factsVersion: 1 };
        assert.ok(await tx.activities.finish(activity, outcome, NOW));
        const entry = { ...auditOf(ORG, 'x', `end of ${activity.id}`), activityId: activity.id };
        await tx.audit.insert({ ...entry, event: 'activity.completed' });
      });
    };
    for (let round = 0; round < 8; round++) {
      const writes = Array.from({ length: 90 }, (_, i) => write(round * 90 + i));
      const ends = Array.from({ length: waiting.length / 2 }, end);
      await Promise.all([...writes, ...ends, ...workers.map((worker) => worker.run())]);
      advance(20_000);
    }
    while (waiting.length > 0) await end();
    for (const worker of workers) {
      await worker.run();
      advance(20_000);
    }
    assert.equal(await completed(), expected);
    for (const worker of workers) await worker.run();
    assert.equal(await completed(), expected, 'nothing is counted again');
  } finally {
    await close();
  }
});

test('a row of a transaction that commits late is counted, and no later one before it', {
  skip: engineName === 'sqlite' && 'about PostgreSQL: SQLite commits in order',
}, async () => {
  const { store, workers, completed, close } = await opened();
  let commit = () => {};
  try {
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let begun!: () => void;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const late = store.transaction(async (tx) => {
      await tx.activities.insert(finished(ORG, 'late', 1).activity);
      begun();
      await mayCommit;
    });
    await hasBegun;
    assert.equal(await store.record(finished(ORG, 'next', 1)), 'written');
    await workers[0].run();
    assert.equal(await completed(), 0);
    commit();
    await late;
    await workers[0].run();
    assert.equal(await completed(), 2);
  } finally {
    commit();
    await close();
  }
});

test(`counts are kept for ${USAGE_MONTHS} months`, async () => {
  const { store, workers, advance, close } = await opened();
  try {
    const oldest = monthOf(NOW, 1 - USAGE_MONTHS);
    const counts = (['DAY', 'MONTH'] as const).flatMap((width) =>
      [oldest, oldest - 1].map((at) => usageCountOf(idOf(ORG), { width, startsAt: startOf(width, at) })),
    );
    await store.transaction((tx) => tx.usage.add(counts));
    await workers[0].run();
    const left = async (width: 'DAY' | 'MONTH') =>
      (await store.read.usage.range(idOf(ORG), { width, from: 1, before: NOW })).map(({ startsAt }) => startsAt)[0];
    assert.deepEqual([await left('DAY'), await left('MONTH')], [oldest, oldest]);
    advance(monthOf(NOW, 1) - NOW);
    await workers[0].run();
    assert.notEqual(await left('MONTH'), oldest);
  } finally {
    await close();
  }
});
