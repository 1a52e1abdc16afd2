import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill, finished, NOW, openMigrated } from './fixture.ts';

test('a record carries a message, which is written with it or not at all', async () => {
  const opened = await openMigrated();
  const { store } = opened;
  const org = 'organization';
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
    assert.deepEqual([row?.activity_id, row?.topic, row?.payload, row?.state], ['sent', 'broadcast', '{"raw":"00"}', 'ready']);
    assert.deepEqual([Number(row?.attempts), Number(row?.due_at), Number(row?.created_at)], [0, NOW, NOW]);
    const again = { ...message, id: `again by ${org}` };
    assert.equal(
      await store.record({ ...finished(org, 'twice', version, { fingerprint: 'sha256:sent' }), message: again }),
      'exists',
    );
    assert.equal((await messages()).length, 1);
  } finally {
    await opened.close();
  }
});
