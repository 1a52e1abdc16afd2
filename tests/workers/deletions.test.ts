import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tables } from '../../src/store/tables/index.ts';
import { deletionWorker } from '../../src/workers/deletions.ts';
import { fill, idOf, NOW, openMigrated } from '../store/fixture.ts';
import { bulk } from '../store/many.ts';
import { engineName } from '../support/database.ts';

const silent = { info() {}, warn() {}, error() {} };
const clock = { now: () => NOW };
const elapsed = { now: () => performance.now() };

/** A store in which `count` organizations were deleted that had many accounts. */
async function withDeleted(count: number) {
  const opened = await openMigrated();
  const ids = Array.from({ length: count }, (_, i) => idOf(`large ${i}`));
  for (const id of ids) await opened.store.transaction((tx) => fill(tx, id, null));
  const rows = await bulk(opened);
  const times = { createdAt: NOW, updatedAt: NOW };
  for (const id of ids)
    await rows.insert(tables.walletAccounts, 3_000, (n) => {
      const of = { organizationId: id, id: idOf(`many ${n}`), walletId: idOf('wallet'), curve: 'c', publicKey: 'p' };
      return { ...of, path: `m/${n + 1}`, addressFormat: 'f', address: `${n}`, name: null, exported: false, ...times };
    });
  await rows.close();
  for (const id of ids) await opened.store.transaction((tx) => tx.deletedOrganizations.add(id, NOW));
  const left = async () => Number((await opened.raw('SELECT count(*) AS n FROM wallet_accounts WHERE name IS NULL'))[0]!.n);
  return { opened, ids, left };
}

test(`one worker, or several at once, remove what deletions left, on ${engineName}`, async () => {
  const { opened, left } = await withDeleted(2);
  const { store } = opened;
  try {
    assert.ok((await left()) > 2_000);
    const workers = [1, 2].map(() => deletionWorker({ store, clock, elapsed, log: silent }));
    await Promise.all(workers.map((worker) => worker.run()));
    assert.equal(await left(), 0);
    assert.equal(await store.read.deletedOrganizations.next(), undefined);
    await Promise.all(workers.map((worker) => worker.close()));
  } finally {
    await opened.close();
  }
});

test(`a removal that takes long is told of from time to time, on ${engineName}`, async () => {
  const { opened } = await withDeleted(1);
  let calls = 0;
  // Each step takes no time, and begins eleven seconds after the one before. It asks three times, and the first step four times.
  const slow = { now: () => Math.floor(Math.max(++calls - 2, 0) / 3) * 11_000 };
  const told: string[] = [];
  const log = { ...silent, info: (_: object, message: string) => void told.push(message) };
  try {
    await deletionWorker({ store: opened.store, clock, elapsed: slow, log }).run();
    assert.ok(told.length > 1, told.join());
    assert.match(told[0]!, /many rows; their removal continues/);
    assert.match(told.at(-1)!, /are removed/);
  } finally {
    await opened.close();
  }
});

test(`a worker that is closed ends after its step, and the next one goes on, on ${engineName}`, async () => {
  const { opened, left } = await withDeleted(1);
  const { store } = opened;
  try {
    const before = await left();
    let steps = 0;
    const worker = deletionWorker({
      store: {
        ...store,
        transaction: async (work) => {
          const value = await store.transaction(work);
          steps += 1;
          if (steps === 2) void worker.close();
          return value;
        },
      },
      clock,
      elapsed,
      log: silent,
    });
    await worker.run();
    assert.equal(steps, 2);
    assert.ok((await left()) < before && (await left()) > 0);
    const next = deletionWorker({ store, clock, elapsed, log: silent });
    await next.run();
    assert.equal(await left(), 0);
    await next.close();
  } finally {
    await opened.close();
  }
});

test(`what fails is told, and tried again, on ${engineName}`, async () => {
  const { opened, left } = await withDeleted(1);
  const { store } = opened;
  let failures = 1;
  const told: string[] = [];
  const done = new Promise<void>((resolve) => {
    const worker = deletionWorker({
      store: { ...store, transaction: (work) => (failures-- > 0 ? Promise.reject(new Error('busy')) : store.transaction(work)) },
      clock,
      elapsed,
      log: {
        ...silent,
        warn: (_, message) => void told.push(message),
        info: () => void worker.close().then(resolve),
      },
    });
    worker.start();
  });
  // The worker's own timer keeps no process alive.
  const alive = setInterval(() => {}, 1000);
  try {
    await done;
    assert.match(told.join(), /retried/);
    assert.equal(await left(), 0);
  } finally {
    clearInterval(alive);
    await opened.close();
  }
});
