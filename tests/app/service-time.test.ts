import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { openServiceTime, resetRow } from '../../src/app/service-time.ts';
import { activityOf, fill, finished, type Opened, openMigrated } from '../store/fixture.ts';
import { engineName } from '../support/database.ts';

const START = 1_700_000_000_000;
const HOUR = 3_600_000;
const LEASE = 2_000;

let opened: Opened;
beforeEach(async () => {
  await opened?.close();
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, 'org', null));
});
after(() => opened.close());

/** A process on the opened database, whose machine's clock is `wrong` by so much. `since`: what the database's clock says at its start. */
async function processOf(wrong = 0, since?: number) {
  const told: { level: string; fields: object; message: string }[] = [];
  const note = (level: string) => (fields: object, message: string) => void told.push({ level, fields, message });
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  const state = { passed: 0, wrong };
  const machine = { now: () => START + state.passed + state.wrong };
  const { store } = opened;
  const get = async () => ({ ...(await store.read.clock.get()), ...(since !== undefined && { since }) });
  const seen = { ...store, read: { ...store.read, clock: { get } } };
  const time = await openServiceTime(seen, { machine, elapsed: { now: () => state.passed }, log });
  return { ...time, state, told };
}

const reached = async () => (await opened.store.read.clock.get()).reached;

let records = 0;
const record = () => finished('org', `recorded ${++records}`, 1);

test(`a process whose clock is an hour behind begins after all times that an earlier one wrote, on ${engineName}`, async () => {
  const first = await processOf();
  assert.equal(first.clock.now(), START);
  first.state.passed = 90_000;
  assert.equal(await first.store.record(record()), 'written');
  const last = first.clock.now();
  const second = await processOf(-HOUR);
  assert.ok(second.clock.now() > last, `${second.clock.now()} ${last}`);
  assert.ok(second.clock.now() <= last + LEASE + 1, 'and no more than needed');
  assert.equal(second.warning()?.code, 'CLOCK_BEHIND');
  assert.deepEqual(
    second.told.map(({ level, fields }) => [level, fields]),
    [['warn', { code: 'CLOCK_BEHIND' }]],
    'the log has it once',
  );
});

test(`after a crash at any moment, the next process begins after every stored time, on ${engineName}`, async () => {
  const { clock, store, state, fresh } = await processOf();
  for (const pause of [0, 500, 900, 1_999, 1, 2_001, 45_000, 3 * HOUR]) {
    state.passed += pause;
    await fresh();
    const time = clock.now();
    if (pause % 2 === 0) assert.equal(await store.record(record()), 'written');
    else await store.transaction((tx) => tx.activities.insert(activityOf('org', `written after ${pause}`)));
    assert.ok((await reached()) + LEASE >= time, `${pause}`);
  }
});

test(`a transaction that outlasts the lease raises the stored time itself, on ${engineName}`, async () => {
  const { clock, store, state } = await processOf();
  for (const write of [store.transaction, store.exclusively]) {
    await write(async (tx) => {
      state.passed += 60_000;
      await tx.activities.insert(activityOf('org', `written at ${clock.now()}`));
    });
    // The database's own clock may have told a few milliseconds more.
    const behind = clock.now() - (await reached());
    assert.ok(behind >= 0 && behind < LEASE, `${behind}`);
  }
  const before = await reached();
  const failed = store.transaction(async () => {
    state.passed += 60_000;
    throw new Error('no');
  });
  await assert.rejects(failed, /no/);
  assert.equal(await reached(), before);
});

test(`a renewal that a write of the same process overtook does not carry its time ahead, on ${engineName}`, async () => {
  const gate = Promise.withResolvers<void>();
  const { store } = opened;
  let isSlow = false;
  const raiseClock: typeof store.raiseClock = async (...asked) => {
    if (isSlow) await gate.promise;
    return store.raiseClock(...asked);
  };
  opened = { ...opened, store: { ...store, raiseClock } };
  const time = await processOf();
  isSlow = true;
  for (const passed of [2_500, 2_600]) {
    time.state.passed = passed;
    await time.store.transaction((tx) => tx.activities.insert(activityOf('org', `written after ${passed}`)));
  }
  assert.equal(await reached(), START + 2_600);
  gate.resolve();
  await time.fresh();
  await store.transaction(async () => {});
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(time.clock.now(), START + 2_600);
});

test(`the stored time is written about once a second, and not by each request, on ${engineName}`, async () => {
  const { store, state } = await processOf();
  const seen = new Set([await reached()]);
  for (let i = 0; i < 50; i++) {
    state.passed += 50;
    await store.record(record());
    seen.add(await reached());
  }
  assert.ok(seen.size >= 2 && seen.size <= 5, `${seen.size} times in 2.5 seconds`);
});

test('a process whose clock is behind uses the time of the others, from its start and later', {
  skip: engineName === 'sqlite' && 'SQLite serves one process',
}, async () => {
  const ahead = await processOf();
  await ahead.store.record(record());
  const behind = await processOf(-HOUR);
  assert.ok(behind.clock.now() >= START, String(behind.clock.now()));
  // The first goes ahead by a leap that is adopted at once.
  ahead.state.wrong = 50_000;
  await ahead.fresh();
  await ahead.store.record(record());
  const latest = ahead.clock.now();
  behind.state.passed += 2 * LEASE;
  await behind.fresh();
  assert.ok(behind.clock.now() >= latest, `${behind.clock.now()} ${latest}`);
  assert.ok(behind.clock.now() <= latest + 4 * LEASE, 'and they do not drive each other on');
});

test('a process that starts with a clock far ahead does not move the time of the others', {
  skip: engineName === 'sqlite' && 'SQLite serves one process',
}, async () => {
  const right = await processOf();
  await right.store.record(record());
  const wrong = await processOf(24 * HOUR, 5);
  assert.ok(wrong.clock.now() < START + HOUR, String(wrong.clock.now()));
  assert.equal(wrong.warning()?.code, 'CLOCK_AHEAD');
  right.state.passed += 2 * LEASE;
  await right.fresh();
  assert.ok(right.clock.now() < START + HOUR);
});

test('a process that runs follows a reset, and tells its reason', {
  skip: engineName === 'sqlite' && 'on SQLite no process runs meanwhile',
}, async () => {
  const future = await processOf(24 * HOUR);
  await future.store.record(record());
  future.state.wrong = 0;
  await opened.store.exclusively(async (tx) => {
    const { resets } = await tx.clock.reset(START);
    await tx.instance.put(resetRow(resets), JSON.stringify({ reason: 'a wrong clock' }));
  });
  future.state.passed += 2 * LEASE;
  await future.fresh();
  assert.equal(future.clock.resets, 1);
  assert.ok(future.clock.now() < START + HOUR, String(future.clock.now()));
  assert.equal(future.warning(), undefined);
  const reset = future.told.filter(({ message }) => /set back/.test(message));
  assert.deepEqual(
    reset.map(({ fields }) => fields),
    [{ reset: { reason: 'a wrong clock' } }],
  );
  assert.equal((await processOf()).told.length, 0, 'it is told once');
});

test(`a time that cannot be stored stops the write, and the next one is covered again, on ${engineName}`, async () => {
  const { store, state } = await processOf();
  await opened.raw('ALTER TABLE clock RENAME TO away');
  state.passed += 2 * LEASE;
  await assert.rejects(store.record(record()), /clock/);
  await opened.raw('ALTER TABLE away RENAME TO clock');
  assert.equal(await store.record(record()), 'written');
  assert.ok((await reached()) + LEASE >= START + state.passed);
});

test('a process that a newer program replaced writes nothing after its lease expired', {
  skip: engineName === 'sqlite' && 'SQLite serves one process',
}, async () => {
  const { store, state, fresh } = await processOf();
  const before = (await opened.raw('SELECT id FROM activities')).length;
  await opened.raw("INSERT INTO migrations (version, name, applied_at) VALUES (999, 'later', 1)");
  const newer = { name: 'Outdated', message: /schema version 999.*stop this process/ };
  state.passed += LEASE + 1;
  await assert.rejects(store.record(record()), newer);
  await assert.rejects(async () => fresh(), newer, 'no request begins');
  const insert = () => store.transaction((tx) => tx.activities.insert(activityOf('org', 'written too late')));
  await assert.rejects(insert(), newer);
  assert.equal((await opened.raw('SELECT id FROM activities')).length, before);
});

test('a process that finds less than it wrote enters the quarantine, and others learn of it', {
  skip: engineName === 'sqlite' && 'SQLite serves one process, which keeps its file open',
}, async () => {
  const [first, second] = [await processOf(), await processOf()];
  await first.store.record(record());
  await second.fresh();
  assert.equal(first.quarantine.found(), undefined);
  // The database is that of some minutes before.
  await opened.raw('UPDATE clock SET reached = reached - 300000, stamped = 0');
  const [earlier] = await opened.raw('SELECT reached FROM clock');
  for (const { state } of [first, second]) state.passed += LEASE + 1;
  const insert = first.store.transaction((tx) => tx.activities.insert(activityOf('org', 'written before it was found')));
  await assert.rejects(insert, { name: 'Busy', message: /lacks what was written last/ });
  await first.fresh();
  const found = first.quarantine.found()!;
  assert.deepEqual([found.cause, found.ended], ['went back', null]);
  assert.ok(found.refusesBefore! >= START + LEASE + 300_000);
  assert.ok(found.sendsBefore! > second.clock.now() + LEASE, 'the other has not learned of it, and accepts sends');
  assert.ok(first.clock.now() >= START + LEASE, 'its time goes on');
  assert.ok((await reached()) > Number(earlier!.reached) + 300_000);
  assert.equal(first.told.filter(({ level }) => level === 'error').length, 1);
  second.state.passed += LEASE;
  await second.fresh();
  assert.deepEqual(second.quarantine.found(), found);
  assert.equal(await first.store.record(record()), 'written', 'and it serves requests');
});
