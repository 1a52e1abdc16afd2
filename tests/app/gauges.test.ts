import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { auditGauge } from '../../src/app/audit.ts';
import { databaseGauges } from '../../src/app/database-gauges.ts';
import { upkeepGauges } from '../../src/app/upkeep-gauges.ts';
import { usageGauges } from '../../src/app/usage.ts';
import { webhookGauges } from '../../src/app/webhooks.ts';
import { auditFamilies } from '../../src/http/metrics/audit.ts';
import { databaseFamilies } from '../../src/http/metrics/database.ts';
import { upkeepFamilies } from '../../src/http/metrics/upkeep.ts';
import { usageFamilies } from '../../src/http/metrics/usage.ts';
import { webhookFamilies } from '../../src/http/metrics/webhooks.ts';
import type { Store } from '../../src/store/types.ts';
import { idOf, NOW, openMigrated } from '../store/fixture.ts';
import { webhookEventOf } from '../store/repositories/webhooks/webhook-rows.ts';

test('gauges are NaN, not 0, while the database does not answer', async () => {
  const registry = new Registry();
  const store = {
    get read(): never {
      throw new Error('connection refused');
    },
  } as unknown as Store;
  const clock = { now: () => 0 };
  const parts = { store, clock, elapsed: clock };
  await Promise.all([
    auditGauge({ ...parts, ships: true, families: auditFamilies([registry]) })(),
    usageGauges({ ...parts, families: usageFamilies([registry]) })(),
    webhookGauges({ ...parts, families: webhookFamilies([registry]) })(),
    upkeepGauges({ ...parts, dataDir: '.', families: upkeepFamilies([registry]) })(),
  ]);
  const read = [
    'audit_behind_seconds',
    'record_not_shipped_seconds',
    'usage_behind_seconds',
    'webhook_late_seconds',
    'messages_dead',
    'backup_age_seconds',
    'quarantine',
    'velocity_reserved_seconds',
  ];
  const lines = (await registry.metrics()).split('\n');
  for (const name of read) assert.ok(lines.includes(`countersign_${name} Nan`), lines.join('\n'));
});

test('the gauge of late webhooks shows events whose deliveries no process makes, and endpoints that no process takes', async () => {
  const opened = await openMigrated();
  try {
    const registry = new Registry();
    const { store } = opened;
    const clock = { now: () => NOW + 90_000 };
    let elapsed = 0;
    const look = webhookGauges({ store, clock, elapsed: { now: () => elapsed }, families: webhookFamilies([registry]) });
    const shown = async () => {
      elapsed += 5_000;
      await look();
      return Number(/^countersign_webhook_late_seconds (\S+)$/m.exec(await registry.metrics())![1]);
    };
    assert.equal(await shown(), 0);
    await store.transaction((tx) => tx.webhookEvents.insert(webhookEventOf(idOf('org'), 'late')));
    assert.equal(await shown(), 90);
    await store.transaction((tx) => tx.webhookQueues.makeDue(idOf('org'), idOf('endpoint'), NOW - 30_000));
    assert.equal(await shown(), 120);
  } finally {
    await opened.close();
  }
});

test('the gauge of readiness follows what /ready answers, and does not ask it for each page', async () => {
  const registry = new Registry();
  let [now, asked, isReady] = [0, 0, true];
  const ready = async () => {
    asked++;
    if (!isReady) throw new Error('the database does not answer');
  };
  const store = { load: () => ({ used: 3, waiting: 2 }) };
  const look = databaseGauges({ store, ready, elapsed: { now: () => now }, families: databaseFamilies([registry]) });
  const shown = async () => {
    await look();
    return [...(await registry.metrics()).matchAll(/^countersign_\w+ (\d)$/gm)].map(([, value]) => Number(value));
  };
  assert.deepEqual(await shown(), [1, 3, 2]);
  isReady = false;
  assert.deepEqual([await shown(), asked], [[1, 3, 2], 1]);
  now = 5_000;
  assert.deepEqual(await shown(), [0, 3, 2]);
});
