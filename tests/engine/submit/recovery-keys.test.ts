import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createApiKeys } from '../../../src/activities/credentials/create-api-keys.ts';
import { submittersOf } from '../../../src/engine/activity/submitters.ts';
import { RECOVERY_KEY } from '../../../src/model/user.ts';
import { newPolicy } from '../../e2e/authority.ts';
import { apiKey, type Client, newKeys } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

/** CREATE_API_KEYS_V2 replaces the recovery, which also gives a user a credential. */
const instance = await sharedInstance();
const TYPE = 'CREATE_API_KEYS_V2';
const parameters = (userId: string) => ({ userId, apiKeys: [apiKey(newKeys())] });

/** A user, with a recovery key beside their own. */
async function recovering(name: string): Promise<{ own: Client; recovery: Client; userId: string }> {
  const { client, userId } = await instance.newUser(name);
  const keys = newKeys();
  const expiring = { ...apiKey(keys), expirationSeconds: '900' };
  assert.equal((await client.submit(TYPE, { userId, apiKeys: [expiring] })).status, 200);
  await instance.raw("UPDATE credentials SET type = 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256' WHERE expires_at IS NOT NULL");
  return { own: client, recovery: client.as(keys), userId };
}

function asRecovery(t: TestContext): void {
  const changesCredentialsOf = ({ userId }: { userId: string }) => userId;
  t.mock.property(createApiKeys, 'submitters', submittersOf({ credential: 'recovery-key', changesCredentialsOf }, false));
}

test('a recovery key submits nothing but a recovery, of its own user, and no other key submits that', async (t) => {
  const { own, recovery, userId } = await recovering('Recovering');
  const { userId: otherId } = await instance.newUser('Other');
  const only = [403, 'REQUEST_NOT_AUTHORIZED', /a recovery key may submit only RECOVER_USER/] as [number, string, RegExp];
  refused(await recovery.submit(TYPE, parameters(userId)), only);
  refused(await recovery.submit('APPROVE_ACTIVITY', { fingerprint: `sha256:${'0'.repeat(64)}` }), only);
  assert.equal((await recovery.query('whoami')).body.userId, userId);

  asRecovery(t);
  assert.equal((await recovery.submit(TYPE, parameters(userId))).status, 200);
  refused(await recovery.submit(TYPE, parameters(otherId)), [403, 'REQUEST_NOT_AUTHORIZED', /Users recover themselves/]);
  const others = [403, 'REQUEST_NOT_AUTHORIZED', /must be stamped by a recovery key/] as [number, string, RegExp];
  refused(await own.submit(TYPE, parameters(userId)), others);
  refused(await instance.root.submit(TYPE, parameters(userId)), others);

  const condition = "activity.kind == 'CREATE_API_KEYS'";
  const consensus = `approvers.any(user, user.id == '${userId}')`;
  await newPolicy(instance.root, { effect: 'EFFECT_DENY', condition, consensus });
  refused(await recovery.submit(TYPE, parameters(userId)), [403, 'REQUEST_NOT_AUTHORIZED', /denied this action/]);
});

test('a recovery asks no other root user', async (t) => {
  const { clients, userIds } = await instance.newSubOrganization('Pair', 2, 2);
  const userId = userIds[0]!;
  const waiting = await clients[0]!.submit(TYPE, parameters(userId));
  assert.equal(waiting.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const keys = newKeys();
  const { credential } = (await instance.engine.store.read.credentials.holder(
    clients[0]!.organizationId,
    clients[0]!.keys.publicKey,
  ))!;
  const key = { ...credential, id: instance.engine.ids.next(), publicKey: keys.publicKey, type: RECOVERY_KEY };
  await instance.engine.store.transaction((tx) => tx.credentials.insert(key));
  asRecovery(t);
  const done = await clients[0]!.as(keys).submit(TYPE, parameters(userId));
  assert.equal(done.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
});
