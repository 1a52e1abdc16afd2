/** What people do in the console besides approving with a passkey. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { ROOT } from '../../../scripts/bundle-place.ts';
import { consoleIn } from '../../../src/app/console/built.ts';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { resultOf } from '../../support/client.ts';
import { opens, type People, people, statusOf, tag, waiting } from './requests.ts';
import { consoleWorld, enrolAddress } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

const MOST_TABS = 80;

/** Moves the focus with the tabulator alone. It is seen wherever it comes. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let i = 0; i < MOST_TABS; i++) {
    await page.keyboard.press('Tab');
    const { text, outline } = await page.evaluate(() => {
      const one = document.activeElement ?? document.body;
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      return { text: one.textContent, outline: one === document.body ? '' : `${outlineStyle} ${outlineWidth}` };
    });
    assert.match(outline, /^$|^solid [2-9]px$/, text);
    if (name.test(text)) return;
  }
  assert.fail(`no focus comes to ${name}`);
}

const APPROVE = { name: 'Approve with passkey…' };

describe('journeys in the console', { skip }, () => {
  const world = consoleWorld();
  let all: People;
  before(async () => {
    all = await people(world);
  });

  test('a rejection asks in a dialog, gives the focus back when it is left, and ends the request', async () => {
    const page = await world.enrolled(all.approver);
    const { id, fingerprint } = await waiting(all.asker, ...tag('Rejected'));
    await opens(world, page, id);
    const reject = page.getByRole('button', { name: 'Reject…' });
    const about = `Create user tag, userTagName: Rejected, fingerprint ${fingerprint.slice(7, 15)}…`;
    assert.equal(await page.locator('.decide .about-vote').innerText(), about);
    await reject.click();
    await page.getByRole('dialog').waitFor();
    assert.equal(await page.getByRole('dialog').locator('.about-vote').innerText(), about);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.ok(await reject.evaluate((button) => button === document.activeElement));
    assert.equal(await statusOf(world, id), 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    await reject.click();
    await page.getByRole('button', { name: 'Reject it' }).click();
    await page.getByText('Rejected: it will not run.').waitFor();
    assert.equal(await statusOf(world, id), 'ACTIVITY_STATUS_REJECTED');
    await page.getByRole('link', { name: 'Decided', exact: true }).click();
    const decided = page.getByRole('region', { name: 'Requests that you decided' });
    await decided
      .locator(`a[href*="${id}"]`)
      .getByText(/you rejected .* · rejected/)
      .waitFor();
    // The vote is an activity too. It leads to what it decided.
    await page.goto(`${world.origin}/console/activities?type=REJECT_ACTIVITY`);
    await page.getByRole('link', { name: 'what it decided' }).first().click();
    await page.waitForURL(`**/activities/${id}`);
    const { activities } = (await all.approver.query('list_activities', { filterByType: ['ACTIVITY_TYPE_REJECT_ACTIVITY'] }))
      .body;
    await page.goto(`${world.origin}/console/activities/${activities[0].id}`);
    await page.getByRole('link', { name: 'Create user tag' }).click();
    await page.waitForURL(`**/activities/${id}`);
    await page.goto(`${world.origin}/console/activities/sha256:${'0'.repeat(64)}`);
    await page.getByText('No activity of this organization has this fingerprint').waitFor();
    await page.close();
  });

  test('a refusal names the policy that denied, first, and folds those that do not apply', async () => {
    const { root, newUser } = world.instance;
    const { client, userId } = await newUser('Denied');
    const made = await root.submit('CREATE_POLICY_V3', {
      ...{ policyName: 'No wallets', effect: 'EFFECT_DENY', notes: '', condition: "activity.kind == 'CREATE_WALLET'" },
      consensus: `approvers.any(user, user.id == '${userId}')`,
    });
    const { policyId } = resultOf(made, 'createPolicyResult');
    const refused = await client.submit('CREATE_WALLET', { walletName: 'None', accounts: [] });
    assert.equal(refused.status, 403, refused.text);
    const { activities } = (await client.query('list_activities', { filterByType: ['ACTIVITY_TYPE_CREATE_WALLET'] })).body;
    const page = await world.enrolled(all.approver);
    await page.goto(`${world.origin}/console/activities/${activities[0].id}?tab=decision`);
    await page.getByText('Refused by the policy No wallets (DENY), as the service says.').waitFor();
    const policies = page.getByRole('tabpanel', { name: 'Decision' });
    await policies.getByText(policyId).waitFor();
    assert.match(await policies.locator('.policy').first().innerText(), /^No wallets denies/);
    await policies.getByText(/^Policies that do not apply \(\d+\)$/).waitFor();
    assert.ok(await policies.getByText('Links', { exact: true }).isHidden());
    await page.close();
  });

  test('a keyboard is enough to find, read and approve a request', async () => {
    const page = await world.enrolled(all.approver);
    const { id } = await waiting(all.asker, ...tag('By keyboard'));
    await page.goto(`${world.origin}/console/`);
    await page.getByRole('listitem').first().waitFor();
    await tabTo(page, /^Create user tag/);
    await page.keyboard.press('Enter');
    await page.getByText('Read here from the signed bytes').waitFor();
    await page.getByRole('button', APPROVE).and(page.locator(':enabled')).waitFor();
    await tabTo(page, /^Approve with passkey…/);
    await page.keyboard.press('Enter');
    await page.getByText('Approved: it is completed.').waitFor();
    assert.equal(await statusOf(world, id), 'ACTIVITY_STATUS_COMPLETED');
    await page.close();
  });

  test('two approvers at once: one completes it, and the other is told, without an error', async () => {
    const pages = [await world.enrolled(all.approver), await world.enrolled(all.second)];
    const { id } = await waiting(all.asker, ...tag('Twice'));
    for (const page of pages) await opens(world, page, id);
    const buttons = pages.map((page) => page.getByRole('button', APPROVE).and(page.locator(':enabled')));
    for (const button of buttons) await button.waitFor();
    // Neither waits for the other's page.
    await Promise.all(buttons.map((button) => button.evaluate((one: HTMLElement) => one.click())));
    for (const page of pages) {
      await page.getByText(/it is completed/).waitFor();
      assert.equal(await page.getByText(/failed|was closed/).count(), 0);
    }
    assert.equal(await statusOf(world, id), 'ACTIVITY_STATUS_COMPLETED');
    for (const page of pages) await page.close();
  });

  test('a session that ends keeps what was typed, and a person signs in again above it', async () => {
    const page = await world.enrolled(all.approver);
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    const field = page.getByRole('textbox', { name: 'Name of a new passkey' });
    await field.fill('The green one');
    const { userId } = (await all.approver.query('whoami')).body;
    const { apiKeys } = (await all.approver.query('get_api_keys', { userId })).body;
    const sessions = apiKeys.filter((key: { credential: { sessionProfileId?: string } }) => key.credential.sessionProfileId);
    const apiKeyIds = sessions.map((key: { apiKeyId: string }) => key.apiKeyId);
    resultOf(await world.instance.root.submit('DELETE_API_KEYS', { userId, apiKeyIds }), 'deleteApiKeysResult');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('The session has ended').waitFor();
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await field.inputValue(), 'The green one');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.close();
  });

  test('a key file signs in and approves after a dialog, and is asked for again after a reload', async () => {
    const { instance } = world;
    const file = readFileSync(join(instance.dataDir, 'root-credentials.json'));
    const choice = { name: 'root-credentials.json', mimeType: 'application/json', buffer: file };
    const { id } = await waiting(all.asker, ...tag('By a file'));
    const page = await world.open(`/console/approvals?open=${id}`);
    await page.getByText('Other ways').click();
    await page.getByLabel('A key file').setInputFiles(choice);
    await page.getByText('Read here from the signed bytes').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Approve…' }).click();
    const approve = page.getByRole('button', { name: 'Approve it' });
    await page.getByRole('dialog').getByText('Create user tag, userTagName: By a file').waitFor();
    assert.ok(await approve.isDisabled());
    await page.getByLabel(/^The key file/).setInputFiles(choice);
    await approve.click();
    await page.getByText(/Approved: it is completed|still waits/).waitFor();
    await page.close();
  });

  test('filters are in the address, new rows wait above the list, and an export has what is filtered', async () => {
    const page = await world.enrolled(all.approver);
    const { id } = await waiting(all.asker, ...tag('=1+1'));
    await page.goto(`${world.origin}/console/activities`);
    const listed: string[] = [];
    page.on('request', (request) => void (request.url().endsWith('/list_activities') && listed.push(request.postData()!)));
    const kind = page.getByRole('textbox', { name: 'Kind' });
    await kind.pressSequentially('create user tag');
    assert.ok(!page.url().includes('type='), 'part of a kind asks nothing');
    await kind.press('Enter');
    await page.waitForURL(/type=create/);
    const rows = page.locator('table.activities tbody tr');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('td:first-child')].every((cell) => /user tag/.test(cell.textContent)),
    );
    const count = await rows.count();
    await waiting(all.asker, ...tag('Newer'));
    await page.getByRole('button', { name: '1 new' }).waitFor();
    assert.equal(await rows.count(), count);
    await page.getByRole('button', { name: '1 new' }).click();
    await rows.nth(count).waitFor();
    assert.ok(listed.every((text) => !text.includes('filterByType') || text.includes('CREATE_USER_TAG"')));
    const asked = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as JSON lines' }).click();
    const lines = readFileSync(await (await asked).path(), 'utf8')
      .trimEnd()
      .split('\n');
    assert.equal(lines.length, count + 1);
    assert.equal(JSON.parse(lines[1]!).id, id);
    // Days are of the time zone that is shown.
    const zone = await page.context().newCDPSession(page);
    await zone.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
    await page.goto(`${world.origin}/console/activities`);
    const user = page.getByRole('textbox', { name: 'User' });
    await user.fill('Nobody');
    await user.press('Enter');
    await page.getByText('No name has “Nobody”.').waitFor();
    await user.fill('approver');
    await user.press('Enter');
    await page.getByText('Choose a user: names with “approver”.').waitFor();
    await page.getByRole('button', { name: /^Second approver/ }).click();
    await page.waitForURL(/user=[0-9a-f-]{36}/);
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('.filters input[placeholder^=Name]')?.value === 'Second approver',
    );
    await page.goto(`${world.origin}/console/activities?after=2026-01-02&before=2026-01-02`);
    await page.getByText('As a command').click();
    const days = (start: number) => `{"createdAfter":"${start}","createdBefore":"${start + 86_400_000}"}`;
    await page.getByText(days(Date.UTC(2026, 0, 1, 15))).waitFor();
    await page.getByRole('button', { name: 'Times in GMT+9 (this browser’s zone): change to UTC' }).click();
    await page.getByText(days(Date.UTC(2026, 0, 2))).waitFor();
    // A hostile address puts nothing into a line for a shell.
    const hostile = encodeURIComponent(`';id;'`);
    await page.goto(`${world.origin}/console/activities?status=${hostile}&user=${hostile}&after=${hostile}`);
    await page.getByText('As a command').click();
    assert.equal(await page.locator('.command-line code').first().innerText(), "./countersign query list_activities '{}'");
    await page.getByText('The newest 100 as JSON lines').click();
    await page
      .getByText(`./countersign query list_activities '{"paginationOptions":{"limit":"100"}}' --field 'activities.*'`)
      .waitFor();
    await page.close();
  });

  test('a key that the browser made is registered by a command, and signs in', async () => {
    const page = await world.open('/console/');
    await page.getByRole('textbox', { name: 'Organization' }).fill(world.instance.credentials.organizationId);
    await page.getByText('Other ways').click();
    await page.getByRole('button', { name: 'Make a key' }).click();
    const publicKey = await page.locator('.way code.address').innerText();
    const { userId } = (await all.second.query('whoami')).body;
    const apiKeys = [{ apiKeyName: 'browser', publicKey, curveType: 'API_KEY_CURVE_P256' }];
    resultOf(await world.instance.root.submit('CREATE_API_KEYS_V2', { userId, apiKeys }), 'createApiKeysResult');
    await page.getByRole('button', { name: 'Sign in with this key' }).click();
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    await page.close();
  });

  test('a change of a policy and of the root quorum is shown against what holds now', async () => {
    const { root } = world.instance;
    const { userId } = (await all.second.query('whoami')).body;
    const policy = { policyName: 'Old name', effect: 'EFFECT_ALLOW', condition: "activity.kind == 'CREATE_WALLET'", notes: '' };
    const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
    const { userId: rootId } = world.instance.credentials;
    const page = await world.enrolled(all.approver);
    const changed = await root.submit('UPDATE_POLICY_V2', { policyId, policyName: 'New name' });
    const quorum = await root.submit('UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [rootId, userId] });
    for (const [{ body }, now] of [
      [changed, 'New name'],
      [quorum, 'Each of 2 root users'],
    ] as const) {
      await page.goto(`${world.origin}/console/activities/${body.activity.id}`);
      await page.getByText(now).first().waitFor();
      await page.getByText('Something of this cannot be read').waitFor({ state: 'detached' });
    }
    await page.close();
  });

  test('an address that is a number names the one where passkeys work', async () => {
    const page = await world.open('/console/', { origin: world.instance.url });
    await page.getByText(`Open ${world.origin}/console/`).waitFor();
    await page.close();
  });

  test('a passkey alone says which organization it is for', async () => {
    const page = await world.open(await enrolAddress(world.origin, all.second));
    // The link says of whom it is, before anything is made.
    await page.locator('.fact', { hasText: 'Your user' }).getByText('Second approver').waitFor();
    await page.locator('.fact', { hasText: 'Organization' }).getByText('as the service says').waitFor();
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await page.getByText('Each change asks for your passkey.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('textbox', { name: 'Organization' }).fill('');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Second approver').first().waitFor();
    await page.getByRole('link', { name: 'Activities', exact: true }).click();
    await page.getByRole('link', { name: 'Delete an own API key, as a sign-out does' }).first().waitFor();
    await page.close();
  });

  test('a vote of another closes no dialog, and takes no failure away', async () => {
    const { client: third } = await world.instance.newUser('Third approver');
    const clients = [all.asker, all.approver, third];
    const ids = await Promise.all(clients.map(async (client) => (await client.query('whoami')).body.userId));
    const policy = {
      ...{ policyName: 'By three', effect: 'EFFECT_ALLOW', notes: '', condition: "activity.kind == 'CREATE_PRIVATE_KEY_TAG'" },
      consensus: ids.map((id) => `approvers.any(user, user.id == '${id}')`).join(' && '),
    };
    resultOf(await world.instance.root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
    const page = await world.enrolled(all.approver);
    const asked = ['CREATE_PRIVATE_KEY_TAG', { privateKeyTagName: 'By three', privateKeyIds: [] }] as const;
    const { id, fingerprint } = await waiting(all.asker, ...asked);
    await opens(world, page, id);
    await page.route('**/submit/reject_activity', (route) => route.abort());
    const reject = page.getByRole('button', { name: 'Reject…' });
    await reject.click();
    await page.getByRole('button', { name: 'Reject it' }).click();
    await page.getByText('The rejection failed').waitFor();
    await reject.click();
    await page.getByRole('dialog').waitFor();
    await third.submit('APPROVE_ACTIVITY', { fingerprint });
    await page.locator('.vote').nth(1).waitFor();
    await page.getByText('stamp verified in this browser').nth(1).waitFor();
    assert.ok(await page.getByRole('dialog').isVisible());
    assert.equal(await page.getByText('The rejection failed').count(), 1);
    await page.close();
  });

  test('a part of the page that does not load asks for a reload, and shows no difference', async () => {
    const page = await world.enrolled(all.approver);
    const { id } = await waiting(all.asker, ...tag('After an upgrade'));
    const { later } = consoleIn(ROOT)!.loads;
    const parts = later['review/index.ts']!.filter((path) => !later['console/src/pages/approvals.tsx']!.includes(path));
    await page.route(
      ({ pathname }) => parts.some((path) => pathname === `/console/${path}`),
      (route) => route.abort(),
    );
    await page.goto(`${world.origin}/console/approvals?open=${id}`);
    await page.getByText('This page is old, or offline').waitFor();
    assert.equal(await page.getByText(/differ|wrong|Tell the operator/).count(), 0);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload it' }).click();
    await page.getByText('Read here from the signed bytes').waitFor();
    await page.close();
  });

  test('an old request is found and shows its new status, and own ones are not counted', async () => {
    const { id, fingerprint } = await waiting(all.asker, ...tag('Old'));
    const unseen = await waiting(all.asker, ...tag('Decided before news come'));
    await Promise.all(Array.from({ length: 100 }, (_, i) => waiting(all.approver, ...tag(`Own ${i}`))));
    const page = await world.enrolled(all.approver);
    await page.getByRole('link', { name: 'Go to approvals' }).click();
    await page.locator(`.requests a[href*="${id}"]`).click();
    await page.getByText('Read here from the signed bytes').waitFor();
    // On a busy machine the service judges a part of them, and says `7+`, or `0+`.
    const [, counted] = /^\((\d+)\+?\) Approvals · Countersign$/.exec(await page.title())!;
    assert.ok(Number(counted) < 100, counted);
    const begins = Promise.withResolvers<void>();
    await page.route('**/create_stream_ticket', async (route) => {
      await begins.promise;
      await route.continue();
    });
    await page.goto(`${world.origin}/console/activities`);
    const rowOf = (one: string) => page.locator('table.activities tr', { has: page.locator(`a[href*="${one}"]`) });
    const row = rowOf(id);
    // The list draws the rows in sight, and reads on by itself near its end. On a busy machine it draws late, so after its end comes its start.
    const draws = async (one: Locator) => {
      for (const end = Date.now() + 60_000; (await one.count()) === 0; assert.ok(Date.now() < end, 'the row is drawn')) {
        await page.evaluate(() => {
          const before = scrollY;
          scrollBy(0, 400);
          if (scrollY === before) scrollTo(0, 0);
          return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        });
      }
    };
    await page.locator('table.activities').waitFor();
    // A row that is drawn may leave again, since a busy machine scrolls late.
    await draws(row.getByText('waits for approval'));
    await draws(rowOf(unseen.id).getByText('waits for approval'));
    await all.second.submit('APPROVE_ACTIVITY', { fingerprint: unseen.fingerprint });
    // Only rows that are drawn are read again: those of the end are not, while the start is seen.
    await page.evaluate(() => scrollTo(0, 0));
    await rowOf(unseen.id).waitFor({ state: 'detached' });
    const open = page.locator('table.activities tr', { hasText: 'waits for approval' }).last().locator('a').first();
    const last = (await open.getAttribute('href'))!.split('/').at(-1)!;
    const again: string[] = [];
    page.on(
      'request',
      (request) => void (request.url().endsWith('/get_activity') && again.push(request.postDataJSON().activityId)),
    );
    const isRead = page.waitForRequest(
      (request) => request.url().endsWith('/get_activity') && request.postDataJSON().activityId === last,
    );
    begins.resolve();
    await isRead;
    await waiting(all.asker, ...tag('After the gap'));
    // The vote is new too.
    await page.getByRole('button', { name: '2 new' }).waitFor();
    assert.ok(!again.includes(unseen.id), `${again.length} rows were read`);
    // A first answer that the service is busy leaves the row in doubt, and is no last word.
    let isBusy = true;
    await page.route('**/get_activity', async (route) => {
      if (!isBusy || route.request().postDataJSON().activityId !== unseen.id) return route.continue();
      isBusy = false;
      await route.fulfill({ status: 429, json: { code: 8, message: 'busy', details: [] } });
    });
    await draws(rowOf(unseen.id));
    await rowOf(unseen.id).getByText('completed').waitFor();
    assert.equal(isBusy, false);
    await draws(row);
    await all.second.submit('APPROVE_ACTIVITY', { fingerprint });
    await row.getByText('completed').waitFor();
    await page.unrouteAll();
    await page.close();
  });
});
