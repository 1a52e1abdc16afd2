import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { settling } from '../../../src/workers/webhooks/round.ts';
import { EMPTY, idOf, NOW, type Opened, openMigrated } from '../../store/fixture.ts';
import { webhookEndpointOf } from '../../store/repositories/webhooks/webhook-endpoint-row.ts';
import { storedDeliveryOf, webhookDeliveryOf } from '../../store/repositories/webhooks/webhook-rows.ts';
import { engineName } from '../../support/database.ts';
import { waitFor } from '../../support/wait.ts';

const skip = engineName !== 'postgres' && 'SQLite has one writer';
const WAITS = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
const HOURS_73 = 73 * 3_600_000;
const OWNER = 'the owner';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

/** An endpoint that has taken nothing for 73 hours, and the round that pauses it. */
async function lastRound(organizationId: string, parentId: string | null) {
  const { store } = opened;
  const endpoint = webhookEndpointOf(organizationId, 'endpoint');
  const delivery = webhookDeliveryOf(organizationId, 'delivery', { endpointId: endpoint.id });
  const key = { organizationId, endpointId: endpoint.id };
  await store.transaction(async (tx) => {
    await tx.organizations.insert({ ...EMPTY, id: organizationId, parentId });
    await tx.webhookEndpoints.insert(endpoint);
    await tx.webhookDeliveries.insert([delivery]);
    await tx.webhookQueues.claim([key], OWNER, NOW, NOW + HOURS_73 + 30_000);
    const queue = (await tx.webhookQueues.get(organizationId, endpoint.id))!;
    await tx.webhookQueues.change(queue, { failures: 9, failingSince: NOW, noSuccessSince: NOW });
  });
  const seen = storedDeliveryOf(organizationId, 'delivery', { endpointId: endpoint.id, firstAttemptAt: NOW });
  const attempt = { lastAttemptAt: NOW + HOURS_73, lastDurationMs: 1, lastStatusCode: 500, lastAnswer: '', lastError: '' };
  const done = [{ delivery: seen, attempted: { outcome: 'retry' as const, waitMs: 0, ...attempt } }];
  return { receiver: { ...endpoint, parentId }, pending: 1, done };
}

test('a pause locks the organizations first, parents before others, as activities do', { skip }, async () => {
  const { store } = opened;
  const parts = { store, clock: { now: () => NOW + HOURS_73 }, ids: { next: () => idOf('mail') }, owner: OWNER, chance: () => 0 };
  // The sub-organization has the lesser id.
  const [subId, parentId] = [idOf('a'), idOf('b')].sort() as [string, string];
  const rounds = [await lastRound(parentId, null), await lastRound(subId, parentId)];
  const resumed = new pg.Client({ connectionString: opened.url });
  await resumed.connect();
  try {
    await resumed.query('BEGIN');
    await resumed.query('SELECT FROM organizations WHERE id = $1 FOR UPDATE', [parentId]);
    const settle = settling(parts);
    const settled = Promise.all(rounds.map(settle));
    await waitFor('the pause to wait', async () => (await opened.raw(WAITS)).length > 0);
    for (const [table, column] of [
      ['organizations', 'id'],
      ['webhook_endpoints', 'organization_id'],
      ['webhook_queues', 'organization_id'],
    ])
      await resumed.query(`SELECT FROM ${table} WHERE ${column} = ANY($1) FOR UPDATE NOWAIT`, [[parentId, subId]]);
    await resumed.query('ROLLBACK');
    assert.deepEqual(await settled, [
      { isLost: false, isPaused: true },
      { isLost: false, isPaused: true },
    ]);
    for (const id of [parentId, subId])
      assert.equal((await store.read.webhookEndpoints.get(id, idOf('endpoint')))!.isActive, false);
  } finally {
    await resumed.end();
  }
});
