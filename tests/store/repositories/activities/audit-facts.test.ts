import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Subject } from '../../../../src/model/audit-fact.ts';
import { engineName } from '../../../support/database.ts';
import { fill, openMigrated } from '../../fixture.ts';
import { idOf } from '../../names.ts';
import { auditedOf } from './audit-rows.ts';

test(`an activity that ends after its wallet's account was deleted stays in the wallet's list, once, on ${engineName}`, async () => {
  const { store, close } = await openMigrated();
  try {
    const org = idOf('org');
    await store.transaction((tx) => fill(tx, 'org', null));
    const ids = { activityId: idOf('pending') };
    const wallet: Subject = { kind: 'wallet', subjectId: idOf('wallet') };
    const waits = 'ACTIVITY_STATUS_CONSENSUS_NEEDED' as const;
    await store.transaction((tx) => tx.auditFacts.put([auditedOf(org, { ...ids, status: waits, subjects: [wallet] })], []));
    const before = await store.read.auditFacts.ofActivities(org, [ids.activityId]);
    await store.transaction((tx) => tx.auditFacts.put([auditedOf(org, { ...ids, walletIds: [], subjects: [] })], before));
    const { auditFacts } = store.read;
    assert.deepEqual(await auditFacts.ofSubject(org, wallet, { statuses: [waits] }, { limit: 9 }), []);
    const [ended, ...more] = await auditFacts.ofSubject(org, wallet, {}, { limit: 9 });
    assert.deepEqual([ended?.status, ended?.walletIds, more], ['ACTIVITY_STATUS_COMPLETED', [idOf('wallet')], []]);
  } finally {
    await close();
  }
});

test(`an activity whose organization was deleted meanwhile leaves no facts, on ${engineName}`, async () => {
  const { store, raw, close } = await openMigrated();
  try {
    await store.transaction((tx) => tx.auditFacts.put([auditedOf(idOf('deleted'))], []));
    for (const table of ['audit_facts', 'audit_subjects']) assert.deepEqual(await raw(`SELECT * FROM ${table}`), []);
  } finally {
    await close();
  }
});
