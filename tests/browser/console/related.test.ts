/** What came of an activity outside: deliveries of its events, and mails. Both reach real servers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { invitation } from '../../activities/invitations/support.ts';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { resultOf } from '../../support/client.ts';
import { type MailServer, startMail } from '../../support/mail.ts';
import { answers, startReceiver } from '../../support/receiver.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

describe('what an activity led to', { skip }, () => {
  let mail: MailServer;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  after(async () => {
    await receiver?.close();
    await mail?.close();
  });
  const world = consoleWorld(async () => {
    mail = await startMail();
    receiver = await startReceiver();
    return { ...mail.env, OUTBOUND_ALLOW: receiver.host };
  });

  test('deliveries and mails of an activity are shown with what their servers answered, and no others', async () => {
    const { root, credentials, dataDir } = world.instance;
    const endpoint = async (path: string) => {
      const subscriptions = [{ eventType: 'ACTIVITY_UPDATES' }];
      const made = await root.submit('CREATE_WEBHOOK_ENDPOINT', {
        url: `http://${receiver.host}${path}`,
        name: path,
        subscriptions,
      });
      return resultOf(made, 'createWebhookEndpointResult').endpointId as string;
    };
    const [good, bad] = [await endpoint('/good'), await endpoint('/bad')];
    receiver.behave('/bad', answers(410));
    const other = await root.submit('CREATE_USER_TAG', { userTagName: 'Other', userIds: [] });
    const one = invitation('Cleo', credentials.userId);
    const invited = await root.submit('CREATE_INVITATIONS', { invitations: [one] });
    resultOf(invited, 'createInvitationsResult');
    await mail.next(one.receiverUserEmail);

    const page = await world.open(`/console/activities/${invited.body.activity.id}?tab=related`);
    await page.getByText('Other ways').click();
    const buffer = readFileSync(join(dataDir, 'root-credentials.json'));
    await page.getByLabel('A key file').setInputFiles({ name: 'key.json', mimeType: 'application/json', buffer });
    const related = page.getByRole('tabpanel', { name: 'Related' });
    const rows = related.getByRole('listitem');
    const taken = rows.filter({ hasText: good });
    await taken.getByText('delivered', { exact: true }).waitFor();
    await taken.getByText('answered 200').waitFor();
    await rows.filter({ hasText: bad }).getByText('answered 410').waitFor();
    await related.getByRole('heading', { name: `Mails to ${one.receiverUserEmail}` }).waitFor();
    await rows.filter({ hasText: /250/ }).waitFor();

    await page.goto(`${world.origin}/console/activities/${other.body.activity.id}?tab=related`);
    await taken.waitFor();
    assert.equal(await taken.count(), 1);
    assert.equal(await related.getByText('Mails to').count(), 0);
    await page.close();
  });
});
