import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { idOf, NOW } from '../../names.ts';
import { type Opened, openMigrated } from '../../opened.ts';
import { tvcDebugLogOf, tvcProvisioningOf, tvcProvisioningShareOf } from './quorum-rows.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

const ORG = idOf('provisioned');
const row = () => opened.store.read.tvcProvisionings.get(ORG, idOf('deployment'));
const unleased = {
  runner: '',
  leaseUntil: 0,
  ephemeralKey: null,
  attestation: null,
  state: 'PROVISIONING_STATE_PENDING',
} as const;

test('one runner claims a free deployment, which then begins anew', async () => {
  const { store } = opened;
  await store.transaction((tx) => tx.tvcProvisionings.insert(tvcProvisioningOf(ORG, { leaseUntil: NOW })));
  assert.deepEqual(await store.read.freeDeployments.first(NOW - 1, 10), []);
  const [found] = await store.read.freeDeployments.first(NOW, 10);
  const claims = await Promise.all(
    ['a', 'b', 'c'].map((runner) => store.transaction((tx) => tx.tvcProvisionings.claim(found!, runner, NOW, NOW + 10))),
  );
  assert.equal(claims.filter(Boolean).length, 1);
  const runner = ['a', 'b', 'c'][claims.indexOf(true)]!;
  assert.deepEqual(await row(), tvcProvisioningOf(ORG, { ...unleased, runner, leaseUntil: NOW + 10 }));
  const held = await store.transaction(async (tx) =>
    Promise.all([tx.tvcProvisionings.hold(found!, runner, NOW + 20), tx.tvcProvisionings.hold(found!, 'd', NOW + 30)]),
  );
  assert.deepEqual(held, [true, false]);
  assert.equal((await row())?.leaseUntil, NOW + 20);
});

test('a runner waits for the transaction that has locked its row', async () => {
  const { store } = opened;
  const order: string[] = [];
  let claim: Promise<unknown> | undefined;
  await store.transaction(async (tx) => {
    await tx.tvcProvisionings.lock(tvcProvisioningOf(ORG));
    claim = store
      .transaction((other) => other.tvcProvisionings.claim(tvcProvisioningOf(ORG), 'e', NOW + 20, NOW + 40))
      .then(() => order.push('claimed'));
    await setTimeout(50);
    order.push('unlocked');
  });
  await claim;
  assert.deepEqual(order, ['unlocked', 'claimed']);
});

test('a deployment that is given back comes after those that have waited longer', async () => {
  const { store } = opened;
  await store.transaction(async (tx) => {
    await tx.tvcProvisionings.insert(tvcProvisioningOf(ORG, { deploymentId: idOf('waits'), leaseUntil: NOW }));
    await tx.tvcProvisionings.release(tvcProvisioningOf(ORG), 'e', NOW + 30);
  });
  const free = await store.read.freeDeployments.first(NOW + 30, 10);
  assert.deepEqual(
    free.map(({ deploymentId }) => deploymentId),
    [idOf('waits'), idOf('deployment')],
  );
  await store.transaction((tx) => tx.tvcProvisionings.releaseAll());
  assert.equal((await row())?.leaseUntil, 0);
});

test('an operator has one share, which can be emptied', async () => {
  const { store } = opened;
  const insert = () => store.transaction((tx) => tx.tvcProvisioningShares.insert(tvcProvisioningShareOf(ORG, 'operator')));
  assert.deepEqual([await insert(), await insert()], [true, false]);
  await store.transaction((tx) => tx.tvcProvisioningShares.empty(ORG, idOf('deployment')));
  const [share] = await store.read.tvcProvisioningShares.ofDeployment(ORG, idOf('deployment'));
  assert.equal(share!.sealed.length, 0);
});

test('the oldest logs give way to new ones', async () => {
  const { store } = opened;
  for (const id of ['a', 'b', 'c', 'd']) await store.transaction((tx) => tx.tvcDebugLogs.insert(tvcDebugLogOf(ORG, id), 25));
  const ids = (await store.read.tvcDebugLogs.since(ORG, idOf('deployment'), 0)).map(({ id }) => id);
  assert.deepEqual(ids, [idOf('c'), idOf('d')].sort());
  await store.transaction((tx) => tx.tvcDebugLogs.sweep(NOW, 1));
  assert.equal((await store.read.tvcDebugLogs.since(ORG, idOf('deployment'), 0)).length, 1);
});
