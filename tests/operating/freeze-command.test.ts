import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cli } from '../support/cli.ts';
import { type Client, newKeys, resultOf, userWith } from '../support/client.ts';
import { engineName, freshDatabase } from '../support/database.ts';
import { startProcess } from '../support/process.ts';

let dataDir: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let env: Record<string, string>;
before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-freeze-'));
  database = await freshDatabase();
  env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
});
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const run = (args: string[], more = {}) => cli(args, { env: { ...env, ...more } });

async function running(use: (root: Client, url: string) => Promise<void>): Promise<void> {
  const service = await startProcess(env);
  try {
    await service.ready();
    await use(service.root(), service.url);
  } finally {
    service.child.kill('SIGKILL');
    await service.exited;
  }
}

test(`a freeze ends by command, and by the operator with the root key, on ${engineName}`, async () => {
  const keys = [newKeys(), newKeys()];
  let organizationId = '';
  let userId = '';
  await running(async (root, url) => {
    const wallet = resultOf(await root.submit('CREATE_WALLET', { walletName: 'Main', accounts: [] }), 'createWalletResult');
    const at = ['--wallet', wallet.walletId, '--url', url, '--reason', 'stolen'];
    assert.equal((await run(['freeze', ...at, '--keep-sends'])).code, 0);
    const { freezes } = (await root.query('list_freezes')).body;
    assert.deepEqual([freezes.length, freezes[0].walletId, freezes[0].keepSends], [1, wallet.walletId, true]);
    assert.equal((await run(['unfreeze', ...at])).code, 0);
    assert.match((await run(['unfreeze', ...at])).err, /no freeze found of wallet/);
    assert.match((await run(['freeze', ...at, '--all'])).err, /give one of --user, --wallet/);
    const rootUsers = keys.map((key, i) => userWith(`Root ${i}`, [key]));
    const parameters = { subOrganizationName: 'Lost', rootQuorumThreshold: 1, rootUsers };
    const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
    [organizationId, userId] = [made.subOrganizationId, made.rootUserIds[0]];
    const other = root.as(keys[1]!, organizationId);
    resultOf(await other.submit('COUNTERSIGN_FREEZE', { userId, reason: 'an alarm' }), 'countersignFreezeResult');
    const users = [{ ...userWith('Second', [newKeys()]), userTags: [] }];
    const { userIds } = resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
    const both = { threshold: 2, userIds: [...userIds, (await root.query('whoami')).body.userId] };
    resultOf(await root.submit('UPDATE_ROOT_QUORUM', both), 'updateRootQuorumResult');
    const waiting = await run(['freeze', ...at]);
    const { id, status } = JSON.parse(waiting.out).activity;
    assert.deepEqual([waiting.code, status], [0, 'ACTIVITY_STATUS_CONSENSUS_NEEDED']);
    assert.equal(waiting.err, `warning: nothing is stopped yet: activity ${id} waits for others (${status})\n`);
  });
  const thaw = ['unfreeze', '--operator', '--organization', organizationId, '--user', userId, '--reason', 'the others are lost'];
  const planned = await run([...thaw, '--dry-run']);
  assert.match(planned.out, /^The freeze of user .* \("an alarm"\), would end\. Nothing was changed\.\n$/);
  assert.match((await run(thaw, { OPERATOR_RECOVERY: 'off' })).err, /OPERATOR_RECOVERY=off/);
  const done = await run([...thaw, '--json']);
  assert.deepEqual([done.code, done.err], [0, '']);
  const { activityId } = JSON.parse(done.out);
  assert.match((await run(thaw)).err, /no freeze found of user/);
  await running(async (root, url) => {
    const freed = root.as(keys[0]!, organizationId);
    resultOf(await freed.submit('CREATE_USER_TAG', { userTagName: 'back', userIds: [] }), 'createUserTagResult');
    const { activity } = (await freed.query('get_activity', { activityId })).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.equal(activity.intent.countersignUnfreezeIntent.reason, 'the others are lost');
    const out = join(dataDir, 'record.jsonl');
    assert.equal((await run(['export', '--out', out, '--url', url, '--organization', organizationId])).code, 0);
    const verified = await run(['verify', out]);
    assert.equal(verified.code, 0, verified.out + verified.err);
  });
});
