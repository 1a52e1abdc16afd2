import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { auditGauge } from '../../src/app/audit.ts';
import { upkeepGauges } from '../../src/app/upkeep-gauges.ts';
import { usageGauges } from '../../src/app/usage.ts';
import { webhookGauges } from '../../src/app/webhooks.ts';
import { auditFamilies } from '../../src/http/metrics/audit.ts';
import { upkeepFamilies } from '../../src/http/metrics/upkeep.ts';
import { usageFamilies } from '../../src/http/metrics/usage.ts';
import { webhookFamilies } from '../../src/http/metrics/webhooks.ts';
import type { Store } from '../../src/store/types.ts';

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
  ];
  const lines = (await registry.metrics()).split('\n');
  for (const name of read) assert.ok(lines.includes(`countersign_${name} Nan`), lines.join('\n'));
});
