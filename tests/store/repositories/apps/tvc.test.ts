import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { tvcAppOf, tvcApprovalOf, tvcDeploymentOf, tvcOperatorOf, tvcOperatorSetOf } from './tvc-rows.ts';

const org = idOf('org');
const other = idOf('other');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  for (const id of [org, other]) await opened.store.transaction((tx) => fill(tx, id, null));
});
after(() => opened.close());

test(`operators are found by name and keys, and sets by name, threshold and members in any order, on ${engineName}`, async () => {
  const { store } = opened;
  const { read } = store;
  const [one, two] = [
    tvcOperatorOf(org, 'one'),
    tvcOperatorOf(org, 'two', { signPublicKey: '04b0', walletId: idOf('w'), path: 'm' }),
  ];
  const set = tvcOperatorSetOf(org, 'both', { threshold: 2, operatorIds: [two.id, one.id] });
  await store.transaction(async (tx) => {
    for (const row of [one, two]) await tx.tvcOperators.insert(row);
    await tx.tvcOperatorSets.insert(set);
  });
  const { name, signPublicKey, encryptPublicKey } = two;
  const keys = { org, name, signPublicKey, encryptPublicKey };
  assert.deepEqual(await read.tvcOperators.same(keys), two);
  for (const wrong of [{ org: other }, { name: 'one' }, { signPublicKey: '04bb' }, { encryptPublicKey: '04ab' }])
    assert.equal(await read.tvcOperators.same({ ...keys, ...wrong }), undefined);
  assert.deepEqual(await read.tvcOperators.byIds(org, [two.id, idOf('none')]), [two]);
  assert.deepEqual(await read.tvcOperatorSets.same(org, 'both', 2, [one.id, two.id]), set);
  for (const [id, named, threshold, members] of [
    [other, 'both', 2, [one.id, two.id]],
    [org, 'set', 2, [one.id, two.id]],
    [org, 'both', 1, [one.id, two.id]],
    [org, 'both', 2, [one.id]],
  ] as const)
    assert.equal(await read.tvcOperatorSets.same(id, named, threshold, members), undefined);
});

test(`an operator approves a manifest once, and a deployment is found by its manifest, on ${engineName}`, async () => {
  const { store } = opened;
  const { read } = store;
  const [first, second] = [tvcDeploymentOf(org, 'first', { nonce: 7 }), tvcDeploymentOf(org, 'second', { nonce: 8 })];
  const approval = tvcApprovalOf(org, 'one', { deploymentId: first.id });
  const approve = () => store.transaction((tx) => tx.tvcManifestApprovals.insert(approval));
  await store.transaction(async (tx) => {
    for (const row of [first, second]) await tx.tvcDeployments.insert(row);
  });
  assert.deepEqual([await approve(), await approve()], [true, false]);
  assert.deepEqual(await read.tvcManifestApprovals.ofDeployments(org, [first.id, second.id]), [approval]);
  assert.deepEqual(await read.tvcManifestApprovals.ofDeployments(other, [first.id]), []);
  assert.deepEqual(await read.tvcDeployments.byManifest(org, first.manifestId), first);
  assert.equal(await read.tvcDeployments.byManifest(other, first.manifestId), undefined);
  assert.deepEqual(await Promise.all([6, 7].map((nonce) => read.tvcDeployments.hasNonce(org, idOf('app'), nonce))), [
    false,
    true,
  ]);
});

test(`an app is deleted with its deployments, of which each stays, on ${engineName}`, async () => {
  const { store } = opened;
  const { read } = store;
  const app = tvcAppOf(org, 'gone');
  const rows = ['x', 'y'].map((id, i) => tvcDeploymentOf(org, id, { appId: app.id, nonce: i }));
  await store.transaction(async (tx) => {
    await tx.tvcApps.insert(app);
    for (const row of rows) await tx.tvcDeployments.insert(row);
  });
  await store.transaction(async (tx) => {
    await tx.tvcApps.replace({ ...app, deleted: true });
    await tx.tvcDeployments.deleteOfApp(org, app.id, NOW + 1);
  });
  assert.deepEqual(await read.tvcApps.get(org, app.id), { ...app, deleted: true });
  const deleted = rows.map((row) => ({ ...row, deleted: true, updatedAt: NOW + 1 }));
  assert.deepEqual(await read.tvcDeployments.pageOfApp(org, app.id, { limit: 10 }), deleted);
  const states = deleted.map(({ id, approvedAt, updatedAt }) => ({ id, deleted: true, approvedAt, updatedAt }));
  assert.deepEqual(await read.tvcDeployments.statesOfApp(org, app.id, { limit: 10 }), states);
  assert.equal((await read.tvcDeployments.get(org, idOf('deployment')))?.deleted, false);
});
