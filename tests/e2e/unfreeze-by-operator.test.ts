import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEnvelope } from '../../src/app/root-key.ts';
import { systemRandom } from '../../src/base/random.ts';
import { readConfig } from '../../src/config.ts';
import { unfreezeIn } from '../../src/operator/recovery/unfreeze.ts';
import { newKeys, resultOf, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { RECEIVER } from '../support/samples.ts';
import { waitFor } from '../support/wait.ts';

const instance = await sharedInstance();

type Mail = { to: string; subject: string; text: string };

const mailsTo = async (to: string): Promise<Mail[]> =>
  (await (await fetch(`${instance.url}/dev/outbox`, { headers: { accept: 'application/json' } })).json()).messages.filter(
    (mail: Mail) => mail.to === to,
  );

test('a freeze that the operator ends is told to each root user by mail, and to webhooks, once', async () => {
  const keys = [newKeys(), newKeys()];
  const emails = ['first@unfrozen.example', 'second@unfrozen.example'];
  const rootUsers = keys.map((key, i) => userWith(`Root ${i}`, [key], { userEmail: emails[i] }));
  const parameters = { subOrganizationName: 'Unfrozen', rootQuorumThreshold: 1, rootUsers };
  const made = await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', parameters);
  const { subOrganizationId: organizationId, rootUserIds } = resultOf(made, 'createSubOrganizationResultV8');
  const [userId] = rootUserIds;
  const [frozen, other] = keys.map((key) => instance.root.as(key, organizationId));
  const endpoint = { url: RECEIVER, name: 'R', subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }] };
  resultOf(await other!.submit('CREATE_WEBHOOK_ENDPOINT', endpoint), 'createWebhookEndpointResult');
  resultOf(await other!.submit('COUNTERSIGN_FREEZE', { userId, reason: 'an alarm' }), 'countersignFreezeResult');

  const { dataDir, databaseUrl, engine, clock } = instance;
  const settings = readConfig({ DATA_DIR: dataDir, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) });
  const envelope = await openEnvelope(settings, engine.store.read, systemRandom);
  const wish = { organizationId, named: { userId }, reason: 'the others are lost' };
  const { activityId } = await unfreezeIn(engine.store, { settings, envelope, now: clock.now(), wish });

  for (const to of emails) {
    const [mail, ...more] = await waitFor('the mail', async () => {
      const mails = await mailsTo(to);
      return mails.length > 0 && mails;
    });
    assert.deepEqual([mail!.subject, more.length], ['The operator ended a freeze in Unfrozen', 0]);
    assert.match(mail!.text, new RegExp(`freeze of user ${userId} .*[\\s\\S]*the others are lost`));
  }
  const events = (await instance.raw('SELECT subject, body FROM webhook_events')).filter(({ subject }) => subject === activityId);
  assert.deepEqual(
    events.map(({ body }) => JSON.parse(String(body)).status),
    ['ACTIVITY_STATUS_COMPLETED'],
  );
  resultOf(await frozen!.submit('CREATE_USER_TAG', { userTagName: 'back', userIds: [] }), 'createUserTagResult');
});
