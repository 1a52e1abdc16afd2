import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { secretTargetOf, storedSecretOf } from './secret-rows.ts';

const org = idOf('org');
const other = idOf('other');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  for (const id of [org, other]) await opened.store.transaction((tx) => fill(tx, id, null));
});
after(() => opened.close());

const count = () => opened.store.transaction((tx) => tx.organizations.count(org, 'secretCount'));

test(`a name is taken once in an organization, and any number of secrets have none, on ${engineName}`, async () => {
  const { store } = opened;
  const insert = (row: ReturnType<typeof storedSecretOf>) => store.transaction((tx) => tx.storedSecrets.insert(row));
  const named = storedSecretOf(org, 'a', { name: 'token' });
  const nameless = ['b', 'c'].map((id) => storedSecretOf(org, id, { name: null, staticProperties: [] }));
  const before = await count();
  assert.deepEqual(await Promise.all([named, ...nameless].map(insert)), [true, true, true]);
  assert.equal(await insert(storedSecretOf(org, 'd', { name: 'token' })), false);
  assert.equal(await insert(storedSecretOf(other, 'd', { name: 'token' })), true);
  assert.equal(await count(), before + 3);
  const found = await store.read.storedSecrets.byIds(org, [idOf('a'), idOf('c'), idOf('d')]);
  assert.deepEqual(
    found.sort((a, b) => (a.id < b.id ? -1 : 1)),
    [named, nameless[1]!].sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
});

test(`pages are newest first, forwards and backwards, on ${engineName}`, async () => {
  const { read } = opened.store;
  const all = await read.storedSecrets.page(org, { limit: 100 });
  const ids = all.map(({ id }) => id);
  assert.deepEqual(ids, [...ids].sort().reverse());
  const page = async (options: object) => (await read.storedSecrets.page(org, { limit: 2, ...options })).map(({ id }) => id);
  assert.deepEqual(await page({}), ids.slice(0, 2));
  assert.deepEqual(await page({ after: ids[1] }), ids.slice(2, 4));
  assert.deepEqual(await page({ before: ids[3] }), ids.slice(1, 3));
  assert.deepEqual(await page({ after: ids[0], before: ids[2] }), [ids[1]]);
});

test(`a target is used once, and an expired one is swept in its organization alone, on ${engineName}`, async () => {
  const { store } = opened;
  const before = await count();
  const [live, late] = [secretTargetOf(org, 'aa', { expiresAt: NOW + 1 }), secretTargetOf(org, 'bb', { id: idOf('late') })];
  await store.transaction(async (tx) => {
    for (const row of [live, late, secretTargetOf(other, 'aa')]) await tx.secretTargets.insert(row);
  });
  assert.equal(await count(), before + 2);
  assert.deepEqual(await store.read.secretTargets.byPublicKeys(org, ['aa', 'cc']), [live]);
  await store.transaction((tx) => tx.secretTargets.sweep(org, NOW));
  assert.deepEqual(await store.read.secretTargets.byPublicKeys(org, ['aa', 'bb']), [live]);
  const use = (id: string, key: string) => store.transaction((tx) => tx.secretTargets.use(id, key));
  assert.deepEqual([await use(org, 'aa'), await use(org, 'aa'), await use(other, 'aa')], [true, false, true]);
  assert.equal(await count(), before - 1, 'the sweep took the target of the fixture too');
});
