/** Accessibility and width of each page, in light and dark. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { looking } from './looking.ts';
import { people, signing, tag, waiting } from './requests.ts';
import { consoleWorld, enrolAddress } from './world.ts';

const NOWHERE = '0191f3c2-0000-7000-8000-000000000000';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

describe('looks of the console', { skip }, () => {
  const world = consoleWorld();
  const { against, looks } = looking();

  /** A request of a client that a policy denied. */
  async function refused(client: Client): Promise<string> {
    const denies = { policyName: 'No wallets', effect: 'EFFECT_DENY', notes: '', condition: "activity.kind == 'CREATE_WALLET'" };
    resultOf(await world.instance.root.submit('CREATE_POLICY_V3', { ...denies, consensus: 'true' }), 'createPolicyResult');
    await client.submit('CREATE_WALLET', { walletName: 'None', accounts: [] });
    const { activities } = (await client.query('list_activities', { filterByType: ['ACTIVITY_TYPE_CREATE_WALLET'] })).body;
    return activities[0].id;
  }

  test('pages have nothing against them, and fit their width', async () => {
    const { asker, approver } = await people(world);
    const link = await world.open(await enrolAddress(world.origin, approver));
    await link.getByRole('button', { name: 'Make a passkey' }).waitFor();
    await looks(link, 'enrol');
    const page = await world.open('/console/');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await page.getByText('Other ways').click();
    await looks(page, 'sign-in');
    await page.close();

    await link.getByRole('button', { name: 'Make a passkey' }).click();
    await link.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await looks(link, 'enrolled');
    await link.getByRole('link', { name: 'Go to approvals' }).click();
    await link.getByText('Nothing waits').waitFor();
    await looks(link, 'nothing');
    const requests = await signing(world);
    for (const [type, parameters] of [tag('Treasury\u202e'), ...requests]) await waiting(asker, type, parameters);
    for (const [i, name] of ['tag', 'transfer', 'approval', 'raw'].toReversed().entries()) {
      await link.getByRole('region', { name: 'Requests that wait' }).getByRole('listitem').nth(i).getByRole('link').click();
      await link.getByText('Read here from the signed bytes').waitFor();
      await link.locator('article:not([aria-busy=true])').waitFor();
      await looks(link, `review-${name}`);
    }
    // Rows mark danger before they are opened, the newest first.
    const rows = link.locator('.requests li');
    assert.deepEqual(await rows.evaluateAll((all) => all.map((row) => row.querySelector('.tag')?.textContent ?? '')), [
      'Not readable',
      'Danger',
      '',
      'Danger',
    ]);
    await link.getByRole('button', { name: 'Reject…' }).click();
    await link.getByRole('dialog').waitFor();
    await looks(link, 'dialog');
    await link.getByRole('button', { name: 'Reject it' }).click();
    await link.getByText('Rejected: it will not run.').waitFor();
    await link.getByRole('link', { name: 'Decided', exact: true }).click();
    await link.getByText(/you rejected/).waitFor();
    await looks(link, 'decided');
    await link.getByRole('link', { name: 'Activities', exact: true }).click();
    await link.locator('table.activities').waitFor();
    await looks(link, 'activities');
    const user = link.getByRole('textbox', { name: 'User' });
    await user.fill('approver');
    await user.press('Enter');
    await link.getByText('Choose a user: names with “approver”.').waitFor();
    await looks(link, 'choose-user');
    // The vote, and what it decided.
    const vote = link.locator('table.activities tr', { hasText: 'what it decided' }).first();
    await vote.getByRole('link').first().click();
    await link.locator('.fact', { hasText: 'Decided' }).getByRole('link').waitFor();
    for (const tab of ['Summary', 'Votes', 'Decision', 'Body', 'Result', 'Related']) {
      await link.getByRole('tab', { name: tab }).click();
      await link.getByRole('tabpanel', { name: tab }).waitFor();
      await looks(link, `activity-${tab.toLowerCase()}`);
    }
    await link.getByRole('link', { name: 'Account', exact: true }).click();
    await link.getByText('There is one passkey').waitFor();
    await looks(link, 'account');
    await link.getByRole('link', { name: 'Overview' }).click();
    await link.getByRole('region', { name: 'Waits for you' }).getByRole('link').first().waitFor();
    await link.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await looks(link, 'overview');
    await link.keyboard.press('?');
    await link.getByRole('dialog').waitFor();
    await looks(link, 'keys');
    for (const [path, title, name] of [
      ['nowhere', 'This page does not exist', 'not-found'],
      [`activities/${NOWHERE}`, 'Reading the activity failed', 'unknown'],
      ['activities?status=AUTHENTICATORS_NEEDED', 'No activity fits', 'nothing-fits'],
      [`activities/sha256:${'0'.repeat(64)}`, 'No activity of this organization has this fingerprint', 'unknown-fingerprint'],
      [`activities/${await refused(asker)}`, 'Refused by the policy', 'refused'],
    ] as const) {
      await link.goto(`${world.origin}/console/${path}`);
      await link.getByText(title).waitFor();
      await looks(link, name);
    }
    const { userId } = (await approver.query('whoami')).body;
    const { apiKeys } = (await approver.query('get_api_keys', { userId })).body;
    const sessions = apiKeys.filter((key: { credential: { sessionProfileId?: string } }) => key.credential.sessionProfileId);
    const apiKeyIds = sessions.map((key: { apiKeyId: string }) => key.apiKeyId);
    resultOf(await world.instance.root.submit('DELETE_API_KEYS', { userId, apiKeyIds }), 'deleteApiKeysResult');
    await link.reload();
    await link.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await looks(link, 'ended');
    await link.close();
    assert.deepEqual(against, []);
  });

  test('so do those of ways in, and of organizations below', async () => {
    const { client } = await world.instance.newUser('Reader');
    const allows = { policyName: 'Reader', effect: 'EFFECT_ALLOW', condition: "activity.kind == 'STAMP_LOGIN'", notes: '' };
    resultOf(await world.instance.root.submit('CREATE_POLICY_V3', allows), 'createPolicyResult');
    const page = await world.enrolled(client);
    await page.getByRole('link', { name: 'Add a second passkey' }).click();
    await page.getByText('There is one passkey').waitFor();
    await page.getByRole('button', { name: 'Remove the passkey My passkey' }).click();
    await page.getByRole('dialog').waitFor();
    await looks(page, 'remove');
    await page.getByRole('button', { name: 'Cancel' }).click();
    const { clients, organizationId } = await world.instance.newSubOrganization('Harbour', 2, 2);
    const { id } = await waiting(clients[0]!, ...tag('Below'));
    await page.getByRole('button', { name: /^Organization .*: change$/ }).click();
    await page.getByRole('link', { name: /^Harbour/ }).waitFor();
    await looks(page, 'organizations');
    await page.goto(`${world.origin}/console/approvals?open=${id}&org=${organizationId}`);
    await page.getByText('You read Harbour').waitFor();
    await page.getByText('These buttons are off').waitFor();
    await looks(page, 'below');
    await page.close();

    const invited = `organizationId=${organizationId}&invitationId=${id}&userId=${id}&secret=${'s'.repeat(43)}&organizationName=Harbour`;
    const join = await world.open(`/console/join#${invited}&email=cleo@example.com`);
    await join.getByText('You are invited to Harbour').waitFor();
    await looks(join, 'join');
    await join.goto(`${world.origin}/console/signed-in`);
    await join.getByText('No page waits for this sign-in').waitFor();
    await looks(join, 'signed-in');
    await join.route('**/console/service.json', (route) => route.abort());
    await join.goto(`${world.origin}/console/`);
    await join.getByText('The console did not start').waitFor();
    await looks(join, 'not-started');
    await join.close();
    assert.deepEqual(against, []);
  });
});
