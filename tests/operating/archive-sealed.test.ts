import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { invitation, linkOf, mailsOf } from '../activities/invitations/support.ts';
import { type Archiving, DAY, dayOf, startArchiving } from '../support/archiving.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { type Answer, post, resultOf, submitPath } from '../support/client.ts';

let service: Archiving;
before(async () => {
  service = await startArchiving();
});
after(() => service.close());

const TYPE = 'ACCEPT_INVITATION_V2';

test('a body that is stored sealed is archived by its time, found again, and shown to its sender alone', async () => {
  const { root } = service;
  const { userId } = (await root.query('whoami')).body;
  resultOf(await root.submit('CREATE_INVITATIONS', { invitations: [invitation('Guest', userId)] }), 'createInvitationsResult');
  const [mail] = await mailsOf(root);
  const { secret, organizationId: _, ...named } = linkOf(mail!);
  const passkey = new SoftAuthenticator();
  const timestampMs = String(Math.floor(service.clock.now()));
  const body = root.bodyOf(TYPE, { ...named, authenticator: passkey.register({ challenge: secret }) }, { timestampMs });
  const sent = (): Promise<Answer> => post(`${root.url}${submitPath(TYPE)}`, body, passkey.stamp(body));
  const first = await sent();
  resultOf(first, 'acceptInvitationResult');
  const { id: activityId } = first.body.activity;

  service.toPresent();
  await root.submit('CREATE_USER_TAG', { userTagName: 'New', userIds: [] });
  const { code, complaint } = await service.archiveBetween(['--before', dayOf(Date.now() - 5 * DAY)]);
  assert.equal(code, 0, complaint);
  assert.deepEqual(await service.raw('SELECT id FROM activities WHERE id = $1', activityId), []);
  const [{ until }] = (await service.raw(
    'SELECT archived_until AS until FROM organizations WHERE id = $1',
    root.organizationId,
  )) as [{ until: unknown }];
  assert.equal(Number(until), Number(timestampMs), 'later bodies are not looked for in the archive');

  assert.equal((await sent()).text, first.text);
  const shown = await root.query('get_activity', { activityId });
  assert.equal(shown.body.activity.id, activityId);
  assert.ok(!shown.text.includes(secret));
  const ask = JSON.stringify({ organizationId: root.organizationId, activityId });
  const own = await post(`${root.url}/public/v1/query/get_activity`, ask, passkey.stamp(ask));
  assert.equal(own.body.activity.votes[0].message, body);
});
