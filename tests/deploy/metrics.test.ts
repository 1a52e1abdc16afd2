import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sharedInstance } from '../support/instance.ts';

const ROOT = join(import.meta.dirname, '../..');
const ALERTS = join(ROOT, 'deploy/prometheus/alerts.yaml');
const BOARD = join(ROOT, 'deploy/grafana/countersign.json');

const { url } = await sharedInstance();
const folder = mkdtempSync(join(tmpdir(), 'countersign-alerts-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });
const skip = promtool('--version').error !== undefined && 'promtool is not installed here';

test('alerts and board name metrics that the service has', async () => {
  const page = await (await fetch(`${url}/metrics`)).text();
  const served = new Set([...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
  for (const file of [ALERTS, BOARD]) {
    const named = readFileSync(file, 'utf8').match(/\b(countersign|nodejs|process)_[a-z0-9_]+\b/g)!;
    assert.ok(named.length > 10);
    for (const name of named) assert.ok(served.has(name) || served.has(name.replace(/_(bucket|count|sum)$/, '')), name);
  }
});

test('a message that could not be sent, a process that is down, and facts that are behind raise alerts', { skip }, () => {
  const checked = promtool('check', 'rules', ALERTS);
  assert.equal(checked.status, 0, checked.stderr);
  const file = join(folder, 'test.yaml');
  const alert = (alertname: string, labels: string, summary: string) => `
      - eval_time: 5m
        alertname: ${alertname}
        exp_alerts: [{ exp_labels: ${labels}, exp_annotations: { summary: "${summary}" } }]`;
  writeFileSync(
    file,
    `rule_files: [${ALERTS}]
tests:
  - interval: 1m
    input_series:
      - { series: 'up{job="countersign", instance="a:8080"}', values: '0x10' }
      - { series: 'countersign_backup_age_seconds{job="countersign"}', values: '200000x10' }
      - { series: 'countersign_messages_dead{job="countersign"}', values: '0 0 3x10' }
      - { series: 'countersign_audit_behind_seconds{job="countersign"}', values: '720x10' }
      - { series: 'countersign_record_not_shipped_seconds{job="countersign"}', values: '720x10' }
    alert_rule_test:${alert('CountersignDown', '{ job: countersign, instance: "a:8080" }', 'a:8080 does not answer: see its log, and run countersign doctor')}${alert('CountersignBackupOld', '{}', 'the last copy is 2d 7h 33m 20s old: run countersign backup')}${alert('MessagesDead', '{}', '3 messages could not be sent: see countersign outbox list')}${alert('AuditBehind', '{}', 'facts for auditors are 12m 0s behind: see docs/operating/audit.md, and look for open transactions on the database')}${alert('RecordNotShipped', '{}', 'the record for auditors has not been shipped for 12m 0s: see the log, and docs/operating/audit.md')}
`,
  );
  const ran = promtool('test', 'rules', file);
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
});
