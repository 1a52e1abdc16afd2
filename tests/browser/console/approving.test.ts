/** The way of an approver. A link makes a passkey, which signs in and approves exactly what the page read. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { resultOf } from '../../support/client.ts';
import { consoleWorld } from './world.ts';

describe('approving in the console', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const world = consoleWorld();

  test('an approver enrols, sees what waits, reads it whole and approves it', async () => {
    const { root, newUser } = world.instance;
    const asker = await newUser('Asker');
    const approver = await newUser('Approver');
    const policy = {
      policyName: 'Tags by two',
      effect: 'EFFECT_ALLOW',
      consensus: `approvers.any(user, user.id == '${asker.userId}') && approvers.any(user, user.id == '${approver.userId}')`,
      condition: "activity.kind == 'CREATE_USER_TAG'",
      notes: '',
    };
    resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
    const enrolling = { policyName: 'Links', effect: 'EFFECT_ALLOW', condition: "activity.kind == 'STAMP_LOGIN'", notes: '' };
    resultOf(await root.submit('CREATE_POLICY_V3', enrolling), 'createPolicyResult');
    const page = await world.enrolled(approver.client);
    assert.equal(new URL(page.url()).hash, '');
    await page.getByRole('link', { name: 'Go to approvals' }).click();
    await page.getByText('Nothing waits').waitFor();
    const asked = await asker.client.submit('CREATE_USER_TAG', { userTagName: 'Treasury\u202e', userIds: [] });
    assert.equal(asked.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', asked.text);
    await page.getByRole('region', { name: 'Requests that wait' }).getByRole('listitem').first().click();
    await page.getByText('Read here from the signed bytes').waitFor();
    const { fingerprint, id } = asked.body.activity;
    assert.equal((await page.locator('.fingerprint code').innerText()).replaceAll(' ', ''), fingerprint);
    assert.equal(await page.title(), '(1) Approvals · Countersign');
    assert.ok((await page.locator('article').innerText()).includes('Treasury⟨U+202E⟩'));
    await page.getByText('stamp verified in this browser').waitFor();
    await page.getByRole('button', { name: 'Approve with passkey…' }).click();
    await page.getByText('Approved: it is completed.').waitFor();
    await page.getByText('stamp verified in this browser').nth(1).waitFor();
    const { activity } = (await root.query('get_activity', { activityId: id })).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.equal(activity.votes[1].scheme, 'SIGNATURE_SCHEME_TK_WEBAUTHN');
    assert.equal(JSON.parse(activity.votes[1].message).parameters.fingerprint, fingerprint);
    await page.close();
  });
});
