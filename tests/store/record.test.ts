import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FinishedRecord, Reservation } from '../../src/store/types.ts';
import { digestOf, fill, finished, idOf, NOW, openMigrated } from './fixture.ts';
import { quotaOf } from './repositories/billing/billing-rows.ts';

test('a record carries a message, which is written with it or not at all', async () => {
  const opened = await openMigrated();
  const { store } = opened;
  const org = idOf('organization');
  try {
    await store.transaction((tx) => fill(tx, org, null));
    const { version } = (await store.read.organizations.get(org))!;
    const messages = async () => opened.raw('SELECT * FROM outbox WHERE organization_id = $1', org);
    const message = { id: `sent by ${org}`, topic: 'broadcast', payload: '{"raw":"00"}' };
    assert.equal(await store.record({ ...finished(org, 'stale', version + 1), message }), 'stale');
    assert.deepEqual(await messages(), []);
    assert.equal(await store.record({ ...finished(org, 'sent', version), message }), 'written');
    const [row, ...more] = await messages();
    assert.deepEqual(more, []);
    assert.deepEqual(
      [row?.activity_id, row?.topic, row?.payload, row?.state],
      [idOf('sent'), 'broadcast', '{"raw":"00"}', 'ready'],
    );
    assert.deepEqual([Number(row?.attempts), Number(row?.due_at), Number(row?.created_at)], [0, NOW, NOW]);
    const again = { ...message, id: `again by ${org}` };
    assert.equal(
      await store.record({ ...finished(org, 'twice', version, { fingerprint: digestOf('sent') }), message: again }),
      'exists',
    );
    assert.equal((await messages()).length, 1);
  } finally {
    await opened.close();
  }
});

test('a record is written with all its reservations, or not at all', async () => {
  const opened = await openMigrated();
  const { store } = opened;
  const org = idOf('organization');
  try {
    await store.transaction((tx) => fill(tx, org, null));
    const version = async () => (await store.read.organizations.get(org))!.version;
    const before = await version();
    const outcome = async (id: string, more: Partial<FinishedRecord>) =>
      store.record({ ...finished(org, id, await version()), ...more });
    const left = async () => (await opened.raw('SELECT id FROM import_targets WHERE organization_id = $1', org)).length;
    const target = (await store.read.importTargets.get(org, idOf('user'), 'wallet'))!;
    const use: Reservation = (tx) => tx.importTargets.use(target);
    const message = { id: 'a message', topic: 'broadcast', payload: '{}' };
    assert.equal(await left(), 1);
    assert.equal(await outcome('late', { reservations: [use, async () => false], message }), 'refused');
    assert.equal(await outcome('stale', { reservations: [use], facts: [{ organizationId: org, version: before + 1 }] }), 'stale');
    assert.equal(await left(), 1, 'what was refused reserves nothing');
    const names = ['one', 'two', 'three'];
    const outcomes = await Promise.all(names.map((id) => outcome(id, { reservations: [use] })));
    assert.deepEqual(outcomes.toSorted(), ['refused', 'refused', 'written']);
    assert.equal(await left(), 0);
    const winner = digestOf(names[outcomes.indexOf('written')]!);
    const again = { ...finished(org, 'again', 0).activity, fingerprint: winner };
    assert.equal(await outcome('again', { activity: again, reservations: [] }), 'exists');
    for (const id of ['late', 'stale']) assert.equal(await store.read.activities.get(org, idOf(id)), undefined);
    assert.deepEqual(await opened.raw('SELECT id FROM outbox WHERE id = $1', 'a message'), []);
  } finally {
    await opened.close();
  }
});

test('a stale caller is told that it is stale, also where the record exists', async () => {
  const opened = await openMigrated();
  const { store } = opened;
  const org = idOf('organization');
  try {
    await store.transaction((tx) => fill(tx, org, null));
    assert.equal(await store.record(finished(org, 'a', 1)), 'written');
    const again = (id: string, version: number) => finished(org, id, version, { fingerprint: digestOf('a') });
    assert.equal(await store.record(again('b', 1)), 'exists');
    assert.equal(await store.record(again('b', 2)), 'stale');
    const parentMoved = [...again('b', 1).facts, { organizationId: idOf('parent'), version: 1 }];
    assert.equal(await store.record({ ...again('b', 1), facts: parentMoved }), 'stale');
    // Together, which is one statement on PostgreSQL.
    const outcomes = await Promise.all([again('c', 1), again('d', 2), finished(org, 'e', 1)].map((one) => store.record(one)));
    assert.deepEqual(outcomes, ['exists', 'stale', 'written']);
  } finally {
    await opened.close();
  }
});

test('a signature is not written while its organization, or the parent, is over its quota', async () => {
  const opened = await openMigrated();
  const { store } = opened;
  const [parent, below] = [idOf('parent'), idOf('below')];
  try {
    await store.transaction((tx) => fill(tx, parent, null));
    await store.transaction((tx) => fill(tx, below, parent));
    const outcomes = async (round: string) =>
      Promise.all(
        [parent, below].flatMap((org) =>
          [true, false].map(async (signs) => {
            const { version } = (await store.read.organizations.get(org))!;
            return store.record({ ...finished(org, `${round} ${signs}`, version), signs });
          }),
        ),
      );
    const over = (org: string, endsAt: number) =>
      store.transaction((tx) => tx.quotas.put(quotaOf(org, { level: 'over', endsAt })));
    await over(parent, NOW);
    await over(below, NOW + 1);
    assert.deepEqual(await outcomes('below'), ['written', 'written', 'over quota', 'written']);
    await over(parent, NOW + 1);
    await over(below, 0);
    assert.deepEqual(await outcomes('both'), ['over quota', 'written', 'over quota', 'written']);
    await store.transaction((tx) => tx.quotas.remove(parent));
    assert.deepEqual(await outcomes('none'), ['written', 'written', 'written', 'written']);
    const { version } = (await store.read.organizations.get(below))!;
    await over(below, NOW + 1);
    assert.equal(await store.record({ ...finished(below, 'stale', version + 1), signs: true }), 'stale');
  } finally {
    await opened.close();
  }
});
