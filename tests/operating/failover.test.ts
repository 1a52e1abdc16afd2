import assert from 'node:assert/strict';
import { test } from 'node:test';
import { submitPath } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { amount, isFull } from '../support/full.ts';
import { startInstance } from '../support/instance.ts';
import { waitFor } from '../support/wait.ts';
import { startServers } from './failover/servers.ts';
import { startFailovers } from './failover/world.ts';

const skip = engineName === 'sqlite' ? 'needs PostgreSQL' : !isFull && 'with --full: two servers';

test('promotions of a synchronous standby lose and double nothing, and both processes follow', { skip }, async () => {
  const world = await startFailovers(1);
  try {
    for (const how of (['killed', 'frozen', 'stopped'] as const).slice(0, amount(1, 1, 3))) await world.failover(how);
    const { unavailable } = await world.settled(20);
    assert.ok(unavailable > 0, 'some requests were hit');
  } finally {
    await world.stop();
  }
});

test('a commit that no standby confirmed is not acknowledged, neither at once nor to the same body later', { skip }, async () => {
  const servers = await startServers();
  const instance = await startInstance({ DATABASE_URL: servers.primaryUrl(), DATABASE_STATEMENT_SECONDS: '3' });
  try {
    const { root } = instance;
    const body = root.bodyOf('CREATE_USER_TAG', { userTagName: 'lonely', userIds: [] });
    const send = () => root.send(submitPath('CREATE_USER_TAG'), body);
    servers.holdStandby(true);
    const first = send();
    const isVisible = async () => (await servers.asked("SELECT 1 FROM tags WHERE name = 'lonely'")).length === 1;
    // As an operator does who sees statements that hang.
    await waitFor('its wait for the standby is cancelled', async () => {
      await servers.asked("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
      return isVisible();
    });
    assert.equal((await first).status, 503, (await first).text);
    assert.match((await first).text, /may have been executed/);
    assert.equal((await send()).status, 503);
    servers.holdStandby(false);
    const { activity } = (
      await waitFor('it is confirmed', async () => {
        const answer = await send();
        return answer.status === 200 && answer;
      })
    ).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.ok(await isVisible(), 'once');
  } finally {
    servers.holdStandby(false);
    await instance.close();
    await servers.stop();
  }
});
