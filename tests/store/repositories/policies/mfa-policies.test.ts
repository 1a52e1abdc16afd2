import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated, userOf } from '../../fixture.ts';
import { mfaPolicyOf, proofOf } from './mfa-rows.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, 'org', null));
});
after(() => opened.close());

test(`a written row is read back as it was, on ${engineName}`, async () => {
  const { store } = opened;
  const row = mfaPolicyOf('org', 'another', { order: 7, notes: 'why' });
  await store.transaction((tx) => tx.mfaPolicies.insert(row));
  assert.deepEqual(await store.read.mfaPolicies.get(org, row.userId, row.id), row);
  assert.equal(await store.read.mfaPolicies.get(org, idOf('somebody'), row.id), undefined, 'it is that of its user');
  const changed = { ...row, name: 'other', steps: [{ any: [] }], order: 3, notes: null, updatedAt: NOW + 1 };
  assert.equal(await store.transaction((tx) => tx.mfaPolicies.update(changed)), true);
  assert.deepEqual(await store.read.mfaPolicies.get(org, row.userId, row.id), changed);
  assert.equal(await store.transaction((tx) => tx.mfaPolicies.update({ ...row, id: idOf('none') })), false);
  assert.equal(await store.transaction((tx) => tx.mfaPolicies.remove(org, row.userId, row.id, NOW)), true);
  assert.equal(await store.transaction((tx) => tx.mfaPolicies.remove(org, row.userId, row.id, NOW)), false);
  assert.equal(await store.read.mfaPolicies.get(org, row.userId, row.id), undefined);
});

test('the user’s row counts them, each change is a version of the user and of the facts, and they go with the user', async () => {
  const { store } = opened;
  const user = userOf('org', 'holder');
  await store.transaction((tx) => tx.users.insert(user));
  const facts = async () => (await store.read.organizations.get(org))!.version;
  const now = async () => (await store.read.users.get(org, user.id))!;
  const first = mfaPolicyOf('org', 'first of holder', { userId: user.id });
  const second = mfaPolicyOf('org', 'second of holder', { userId: user.id });
  const before = await facts();
  await store.transaction((tx) => tx.mfaPolicies.insert(first));
  assert.deepEqual([(await now()).mfaPolicyCount, (await now()).version, await facts()], [1, 2, before + 1]);
  await store.transaction((tx) => tx.mfaPolicies.insert(second));
  assert.deepEqual([(await now()).mfaPolicyCount, (await now()).version], [2, 3]);
  await store.transaction((tx) => tx.users.update(org, user.id, { name: 'renamed' }, NOW));
  assert.equal((await now()).mfaPolicyCount, 2, 'another change of the user leaves the count alone');
  assert.deepEqual((await store.read.userStates.get(org, user.id))!.mfaPolicies, await listed(user.id));
  const page = await store.read.userStates.page(org, { limit: 10 });
  assert.equal(page.find((state) => state.user.id === user.id)!.mfaPolicies!.length, 2);
  await store.transaction((tx) => tx.mfaPolicies.remove(org, user.id, second.id, NOW));
  assert.deepEqual(await listed(user.id), [first]);
  assert.equal((await store.read.users.past(org, user.id, 4))!.mfaPolicies!.length, 2);
  await store.transaction((tx) => tx.users.remove(org, user.id, NOW));
  assert.deepEqual(await listed(user.id), []);
});

const listed = (userId: string) => opened.store.read.mfaPolicies.listByUser(org, userId);

test('a stamp is stored once', async () => {
  const { store } = opened;
  const proof = proofOf('org', 'again', { activityId: idOf('other') });
  assert.equal(await store.transaction((tx) => tx.proofs.insert(proof)), true);
  assert.equal(await store.transaction((tx) => tx.proofs.insert({ ...proof, id: idOf('the same') })), false);
  const other = { ...proof, id: idOf('by another key'), publicKey: 'another' };
  assert.equal(await store.transaction((tx) => tx.proofs.insert(other)), true);
  const stored = await store.read.proofs.ofActivity(org, idOf('other'));
  assert.deepEqual(new Set(stored.map(({ id }) => id)), new Set([proof.id, other.id]));
  assert.deepEqual(await store.read.proofs.ofActivities(org, [idOf('other')]), new Map([[idOf('other'), stored]]));
  assert.deepEqual(await store.read.proofs.ofActivities(org, []), new Map());
});
