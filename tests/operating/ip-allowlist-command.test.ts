import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cli } from '../support/cli.ts';
import { type Client, resultOf } from '../support/client.ts';
import { engineName, freshDatabase, rawSql } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

let dataDir: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let env: Record<string, string>;
before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-allowlist-'));
  database = await freshDatabase();
  env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
});
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const countersign = (...args: string[]) => cli(['ip-allowlist', ...args], { env });

const off = (...more: string[]) => countersign('off', '--reason', 'the office moved', ...more);

async function running(use: (root: Client, service: ServiceProcess) => Promise<void>): Promise<void> {
  const service = await startProcess(env);
  try {
    await service.ready();
    await use(service.root(), service);
  } finally {
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, service.output());
  }
}

test(`an organization that shut itself out is let in again, on ${engineName}`, async () => {
  let organizationId = '';
  await running(async (root) => {
    organizationId = root.organizationId;
    const rules = [{ cidr: '192.0.2.0/24', label: 'Old office' }];
    resultOf(await root.submit('SET_IP_ALLOWLIST', { enabled: true, rules }), 'setIpAllowlistResult');
    assert.equal((await root.query('whoami')).status, 403);
    assert.equal((await root.submit('REMOVE_IP_ALLOWLIST', {})).status, 403);
    if (engineName === 'sqlite') {
      const beside = await off();
      assert.equal(beside.code, 1);
      assert.match(beside.err, /^the IP allow-list was not switched off: another process already uses this data folder/);
      assert.doesNotMatch(beside.err, /^ +at /m);
    }
    const planned = await off('--dry-run');
    assert.deepEqual([planned.code, planned.err], [0, '']);
    assert.match(planned.out, /is on, and would be switched off\. Nothing was changed\.\nIts blocks:\n {2}192\.0\.2\.0/);
    if (engineName === 'sqlite') return;
    assert.equal((await root.query('whoami')).status, 403);
    const done = await off();
    assert.deepEqual([done.code, done.err], [0, '']);
    assert.equal((await root.query('whoami')).status, 200, 'the running service goes by it at once');
    resultOf(await root.submit('SET_IP_ALLOWLIST', { enabled: true }), 'setIpAllowlistResult');
    assert.equal((await root.query('whoami')).status, 403);
  });
  const whose = `organization ${organizationId} ("Root organization")`;
  const asked = await off('--dry-run');
  assert.deepEqual(asked, {
    code: 0,
    out: `The IP allow-list of ${whose} is on, and would be switched off. Nothing was changed.\nIts blocks:\n  192.0.2.0/24  Old office\n`,
    err: '',
  });
  const done = await off('--json', '--organization', organizationId.toUpperCase());
  const { allowlist, ...rest } = JSON.parse(done.out);
  assert.deepEqual(rest, { organizationId, organizationName: 'Root organization', changed: true });
  assert.deepEqual([allowlist.enabled, allowlist.rules[0].cidr], [true, '192.0.2.0/24']);
  assert.match((await off()).out, /^The IP allow-list of .* is off\. Nothing was changed\.\nIts blocks:/);
  const rows = await rawSql(
    { folder: dataDir, url: database?.url },
    "SELECT value FROM instance WHERE key LIKE 'ip-allowlist-off %' ORDER BY key",
    [],
  );
  const kept = rows.map(({ value }) => JSON.parse(String(value)));
  assert.equal(kept.length, engineName === 'sqlite' ? 1 : 2);
  for (const one of kept) assert.deepEqual([one.organizationId, one.reason], [organizationId, 'the office moved']);
  await running(async (root) => {
    const list = (await root.query('get_ip_allowlist')).body.allowlist;
    assert.deepEqual([list.enabled, list.rules[0].label], [false, 'Old office']);
    resultOf(await root.submit('REMOVE_IP_ALLOWLIST', {}), 'removeIpAllowlistResult');
  });
  assert.match((await off()).out, /^There is no IP allow-list of /);
});

test('wrong usage', async () => {
  for (const [args, text] of [
    [['off'], 'give a reason: countersign ip-allowlist off --reason TEXT\n'],
    [['off', '--reason', 'x'.repeat(501)], '--reason must have at most 500 characters\n'],
    [['on', '--reason', 'x'], 'there is no "ip-allowlist on": see countersign ip-allowlist --help\n'],
    [['off', '--reason', 'x', '--organization', 'root'], '--organization must be a UUID, not "root"\n'],
    [['off', 'now', '--reason', 'x'], 'countersign ip-allowlist takes no "now": see countersign ip-allowlist --help\n'],
  ] as const) {
    const { code, err } = await countersign(...args);
    assert.deepEqual([code, err], [2, text]);
  }
  const nobody = '00000000-0000-7000-8000-000000000001';
  const { code, err } = await off('--organization', nobody);
  assert.deepEqual([code, err], [2, `there is no organization ${nobody}\n`]);
  const help = await countersign('--help');
  assert.deepEqual([help.code, help.err], [0, '']);
  assert.match(help.out, /^Usage: countersign ip-allowlist off[\s\S]*Examples:\n {2}\.\/countersign ip-allowlist off --reason/);
});
