import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Subject } from '../../../../src/model/audit-fact.ts';
import { engineName } from '../../../support/database.ts';
import { openMigrated } from '../../fixture.ts';
import { idOf } from '../../names.ts';
import { auditedOf } from './audit-rows.ts';

test(`an activity that ends after its wallet's account was deleted stays in the wallet's list, once, on ${engineName}`, async () => {
  const { store, close } = await openMigrated();
  try {
    const org = idOf('org');
    const wallet: Subject = { kind: 'wallet', subjectId: idOf('wallet') };
    const waits = 'ACTIVITY_STATUS_CONSENSUS_NEEDED' as const;
    await store.transaction((tx) => tx.auditFacts.put([auditedOf(org, { status: waits, subjects: [wallet] })], []));
    const before = await store.read.auditFacts.several(org, [idOf('activity')]);
    await store.transaction((tx) => tx.auditFacts.put([auditedOf(org, { walletIds: [], subjects: [] })], before));
    const { auditFacts } = store.read;
    assert.deepEqual(await auditFacts.ofSubject(org, wallet, { statuses: [waits] }, { limit: 9 }), []);
    const [ended, ...more] = await auditFacts.ofSubject(org, wallet, {}, { limit: 9 });
    assert.deepEqual([ended?.status, ended?.walletIds, more], ['ACTIVITY_STATUS_COMPLETED', [idOf('wallet')], []]);
  } finally {
    await close();
  }
});
