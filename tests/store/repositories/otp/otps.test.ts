import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { digestOf, fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { otpOf } from './otp-row.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, org, null));
});
after(() => opened.close());

const erased = { code: null, targetPublicKey: null, targetKey: null };

test(`a code is read back as it was, and closed once, on ${engineName}`, async () => {
  const { store } = opened;
  const rows = [otpOf(org, 'one'), otpOf(org, 'two', { use: 'auth', userIdentifier: null, userId: idOf('user'), ...erased })];
  await store.transaction(async (tx) => {
    for (const row of rows) await tx.otps.insert(row);
  });
  for (const row of rows) assert.deepEqual(await store.read.otps.get(org, row.id), row);
  assert.equal(await store.read.otps.get(idOf('other'), rows[0]!.id), undefined);
  const close = (id: string) => store.transaction((tx) => tx.otps.close(org, idOf(id)));
  assert.deepEqual(
    [await close('one'), await close('one'), await close('two'), await close('nobody')],
    [true, false, false, false],
  );
  assert.deepEqual(await store.read.otps.get(org, idOf('one')), { ...rows[0]!, ...erased });
});

test(`of wrong guesses that saw the same row one is counted, and none of a closed code, on ${engineName}`, async () => {
  const { store } = opened;
  const row = otpOf(org, 'guessed');
  const miss = (misses: number) => store.transaction((tx) => tx.otps.miss({ ...row, misses }));
  await store.transaction((tx) => tx.otps.insert(row));
  assert.deepEqual(await Promise.all([miss(0), miss(0), miss(0)]).then((all) => all.filter(Boolean).length), 1);
  assert.equal(await miss(1), true);
  assert.equal((await store.read.otps.get(org, row.id))!.misses, 2);
  await store.transaction((tx) => tx.otps.close(org, row.id));
  assert.equal(await miss(2), false);
});

test(`codes are counted by contact without case, and by user identifier, in a time, on ${engineName}`, async () => {
  const { store } = opened;
  const made = (id: string, createdAt: number, more: object = {}) =>
    otpOf(org, id, { createdAt, contact: 'Counted@Example.com', userIdentifier: digestOf('counted'), ...more });
  await store.transaction(async (tx) => {
    for (const row of [made('c1', NOW), made('c2', NOW + 1, erased), made('c3', NOW + 2, { expiresAt: NOW + 9 })])
      await tx.otps.insert(row);
    await tx.otps.insert(made('c4', NOW + 2, { contact: 'other@example.com', userIdentifier: null }));
    await tx.otps.insert(made('c5', NOW + 2, { organizationId: idOf('beside') }));
  });
  const latest = (since: number, most = 10) => store.read.otps.ofContact(org, 'coUnted@example.com', since, most);
  assert.deepEqual(
    (await latest(NOW)).map(({ code, expiresAt }) => [code === null, expiresAt]),
    [
      [false, NOW + 9],
      [true, NOW + 1000],
    ],
  );
  assert.equal((await latest(NOW - 1)).length, 3);
  assert.equal((await latest(NOW - 1, 2)).length, 2);
  const count = async (since: number, most = 10) => {
    const found = await store.read.otps.ofIdentifier(org, digestOf('counted'), since, most);
    assert.ok(found.every(({ createdAt }) => createdAt > since));
    return found.length;
  };
  assert.deepEqual([await count(NOW - 1), await count(NOW), await count(NOW + 2), await count(NOW - 1, 2)], [3, 2, 0, 2]);
});

test(`old codes are forgotten, the oldest first, on ${engineName}`, async () => {
  const { store } = opened;
  const ids = ['o1', 'o2', 'o3'];
  await store.transaction(async (tx) => {
    for (const [i, id] of ids.entries()) await tx.otps.insert(otpOf(i === 1 ? idOf('beside') : org, id, { createdAt: i }));
  });
  const sweep = (before: number, most: number) => store.transaction((tx) => tx.otps.sweep(before, most));
  assert.deepEqual([await sweep(2, 1), await sweep(2, 10), await sweep(2, 10)], [1, 1, 0]);
  assert.ok(await store.read.otps.get(org, idOf('o3')));
});
