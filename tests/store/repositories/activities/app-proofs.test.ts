import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { appProofsOf, bootProofOf, ephemeralKeyOf } from './app-proof-rows.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, org, null));
});
after(() => opened.close());

test(`proofs are read back as they were, in their organization alone, on ${engineName}`, async () => {
  const { store } = opened;
  const proofs = appProofsOf('org', 'another');
  await store.transaction((tx) => tx.appProofs.insert(proofs));
  assert.deepEqual(await store.read.appProofs.ofActivity(org, idOf('another')), proofs);
  assert.equal(await store.read.appProofs.ofActivity(idOf('elsewhere'), idOf('another')), undefined);
  await assert.rejects(
    store.transaction((tx) => tx.appProofs.insert(proofs)),
    'an activity has its proofs once',
  );
});

test(`a boot proof is found by its key, and the latest by the name of its app, on ${engineName}`, async () => {
  const { store } = opened;
  const [first, second] = [bootProofOf('first'), { ...bootProofOf('second'), createdAt: NOW + 1 }];
  // The last one again, as after an attempt whose outcome is unknown.
  for (const proof of [second, first, first]) await store.transaction((tx) => tx.bootProofs.insert(proof));
  assert.deepEqual(await store.read.bootProofs.get(first.publicKey), first);
  assert.equal(await store.read.bootProofs.get(ephemeralKeyOf('third')), undefined);
  assert.deepEqual(await store.read.bootProofs.latest('countersign'), second);
  assert.equal(await store.read.bootProofs.latest('another'), undefined);
});
