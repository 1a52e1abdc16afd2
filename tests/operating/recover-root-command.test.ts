import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cli } from '../support/cli.ts';
import { type Client, newKeys, resultOf, userWith } from '../support/client.ts';
import { engineName, freshDatabase, rawSql } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

const DAY_AND_MORE_MS = 25 * 3_600_000;

let dataDir: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let env: Record<string, string>;
before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-recover-'));
  database = await freshDatabase();
  env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
});
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const recoverRoot = (args: string[], more: Record<string, string> = {}) =>
  cli(['recover-root', ...args], { env: { ...env, ...more } });

async function running(use: (root: Client, service: ServiceProcess) => Promise<void>, more = {}): Promise<void> {
  const service = await startProcess({ ...env, ...more });
  try {
    await service.ready();
    await use(service.root(), service);
  } finally {
    service.child.kill('SIGKILL');
    await service.exited;
  }
}

const shownBy = async (watching: Client) =>
  (await watching.query('get_organization')).body.organizationData.countersignRootRecovery;

test(`a recovery outlives kills of the service and takes effect once, on ${engineName}`, async () => {
  const keys = newKeys();
  let organizationId = '';
  let userId = '';
  const begin = (...more: string[]) =>
    recoverRoot([
      '--organization',
      organizationId,
      '--user',
      userId,
      '--public-key',
      keys.publicKey,
      '--reason',
      'lost',
      ...more,
    ]);
  await running(async (root) => {
    const parameters = { subOrganizationName: 'Lost', rootQuorumThreshold: 1, rootUsers: [userWith('Root', [newKeys()])] };
    const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
    [organizationId, userId] = [made.subOrganizationId, made.rootUserIds[0]];
    if (engineName === 'sqlite')
      assert.match((await begin()).err, /^the recovery was not begun: another process already uses this data folder/);
    const planned = await begin('--dry-run');
    assert.deepEqual([planned.code, planned.err], [0, '']);
    assert.match(
      planned.out,
      /would be pending\. Nothing was changed\.\n[\s\S]*24 hours later: not before .*\n[\s\S]*No other MFA policy/,
    );
  });
  assert.match((await recoverRoot(['list'])).out, /^No recovery is pending/);
  const done = await begin('--json');
  assert.deepEqual([done.code, done.err], [0, '']);
  const { activityId, changed } = JSON.parse(done.out);
  assert.ok(changed);
  assert.match((await begin()).err, /a recovery of user .* is pending/);
  await running(async (root) => {
    await waitFor(
      'the root users to be told',
      async () => (await shownBy(root.as(root.keys, organizationId))).pending.takesEffectAtMs,
    );
  });
  const { recoveries } = JSON.parse((await recoverRoot(['list', '--json'])).out);
  assert.deepEqual([recoveries.length, recoveries[0].activityId, recoveries[0].cancelled], [1, activityId, null]);
  const at = { folder: dataDir, url: database?.url };
  // The service's time never goes back: it goes on from the stored one.
  await rawSql(at, 'UPDATE clock SET reached = reached + $1', [DAY_AND_MORE_MS]);
  await running(async (root) => {
    const watching = root.as(root.keys, organizationId);
    await waitFor('the recovery to take effect', async () => (await shownBy(watching)) === undefined);
    const { activity } = (await watching.query('get_activity', { activityId })).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED', JSON.stringify(activity.failure));
    assert.equal((await root.as(keys, organizationId).query('whoami')).body.userId, userId);
  });
  const [row] = await rawSql(at, 'SELECT count(*) AS keys FROM credentials WHERE name = $1', ['Recovery by the operator']);
  assert.equal(Number(row?.keys), 1);
});

test('the setting off holds when it is removed, and the root key switches it on again', async () => {
  const wish = [
    '--organization',
    crypto.randomUUID(),
    '--user',
    crypto.randomUUID(),
    '--public-key',
    '02',
    '--reason',
    'r',
    '--dry-run',
  ];
  assert.match((await recoverRoot(wish)).err, /there is no organization/);
  assert.match(
    (await recoverRoot(wish, { ROOT_KEY_PATH: join(dataDir, 'absent.key') })).err,
    /^the recovery was not begun: .*absent\.key/,
  );
  const off = { OPERATOR_RECOVERY: 'off' };
  await running(async () => {}, off);
  assert.match((await recoverRoot(wish, off)).err, /OPERATOR_RECOVERY=off/);
  assert.match((await recoverRoot(wish)).err, /switched off in this database: countersign recover-root allow/);
  const allow = ['allow', '--reason', 'we need it'];
  assert.match((await recoverRoot(allow, off)).err, /OPERATOR_RECOVERY is off/);
  assert.match((await recoverRoot(allow, { ROOT_KEY_PATH: join(dataDir, 'absent.key') })).err, /absent\.key/);
  assert.equal((await recoverRoot(allow)).out, 'Recovery by the operator is on.\n');
  assert.match((await recoverRoot(wish)).err, /there is no organization/);
  assert.equal((await recoverRoot(['--reason', 'r'])).code, 2);
  assert.match(
    (await recoverRoot(['cancel', '--organization', crypto.randomUUID(), '--reason', 'r'])).err,
    /there is no organization/,
  );
});
