/** Texts of a hostile service or voter, and texts of pages that must be true. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { addPasskey, byPasskey } from '../../support/passkey-client.ts';
import { type People, people, tag, waiting } from './requests.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

const HOSTILE = '<img src=x>\u202eevil';
const SHOWN = '<img src=x>⟨U+202E⟩evil';
const WHOSE = 'On the service’s machine it uses the key of the root user, unless --credentials FILE follows ./countersign.';

describe('texts of the console', { skip }, () => {
  const world = consoleWorld();
  let all: People;
  let refused: string;
  let page: Page;
  before(async () => {
    const { client } = await world.instance.newUser('Powerless');
    assert.equal((await client.submit(...tag('Refused'))).status, 403);
    refused = (await client.query('list_activities')).body.activities[0].id;
    all = await people(world);
    page = await world.enrolled(all.approver);
  });

  const opens = (path: string) => page.goto(`${world.origin}/console/${path}`);

  /** Nothing of a hostile text is markup, or turns text around. */
  async function isText(): Promise<void> {
    await page.getByText(SHOWN).first().waitFor();
    assert.ok(!(await page.locator('body').innerText()).includes('\u202e'));
    assert.equal(await page.locator('main img').count(), 0);
  }

  /** Changes what the service says to the page about an activity. */
  // biome-ignore lint/suspicious/noExplicitAny: tests change answers freely
  const lies = (change: (activity: any) => void) =>
    page.route('**/query/get_activity', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      change(json.activity);
      await route.fulfill({ response, json });
    });

  test('a refusal that no policy decided names no root quorum', async () => {
    await opens(`activities/${refused}?tab=decision`);
    const panel = page.getByRole('tabpanel', { name: 'Decision' });
    await panel.getByText('No policy’s outcome is on record.').waitFor();
    await panel.getByText(/^It failed: ./).waitFor();
  });

  test('a hostile failure, difference, refusal of a vote, and origin of a passkey are shown as text', async () => {
    await lies((activity) => {
      activity.failure.message = HOSTILE;
    });
    for (const tab of ['summary', 'decision']) {
      await opens(`activities/${refused}?tab=${tab}`);
      await page.locator('.notice-title').getByText(SHOWN).waitFor();
      await isText();
    }
    await page.unrouteAll();
    const { id, fingerprint } = await waiting(all.asker, ...tag('Different'));
    await lies(({ intent }) => {
      intent.createUserTagIntent[HOSTILE] = 'more';
    });
    for (const [path, title] of [
      [`approvals?open=${id}`, 'Approving is off'],
      [`activities/${id}`, 'the service says differ'],
    ] as const) {
      await opens(path);
      await page.getByRole('alert').filter({ hasText: title }).getByText(SHOWN).waitFor();
      await isText();
    }
    await page.unrouteAll();
    // The service refuses a vote: first while the request waits, then after another approval has ended it.
    const approve = page.getByRole('button', { name: 'Approve with passkey…' });
    const json = { code: 9, message: HOSTILE, details: [] };
    await page.route('**/submit/approve_activity', (route) => route.fulfill({ status: 400, json }));
    await opens(`approvals?open=${id}`);
    await approve.click();
    await page.getByText('The approval failed').waitFor();
    await isText();
    await page.unrouteAll();
    await page.route('**/submit/approve_activity', async (route) => {
      await all.second.submit('APPROVE_ACTIVITY', { fingerprint });
      await route.fulfill({ status: 400, json });
    });
    await approve.click();
    await page.getByText('Your approval is not recorded').waitFor();
    await isText();
    await page.unrouteAll();
    const authenticator = new SoftAuthenticator();
    const { userId } = (await all.asker.query('whoami')).body;
    await addPasskey(world.instance.root, userId, authenticator);
    const voter = byPasskey(all.asker, authenticator, { origin: `https://app.example.com/${HOSTILE}` });
    const asked = (await voter.submit(...tag('By a passkey'))).body.activity;
    await opens(`approvals?open=${asked.id}`);
    await page.getByText('stamp verified in this browser').click();
    await page.getByText(`at the origin https://app.example.com/${SHOWN}`).waitFor();
    await isText();
  });

  test('a command says whose key it uses, and that of Account makes a link for the user of a key file', async () => {
    await opens('account');
    await page.getByText('A link for a passkey on another device, as a command').click();
    await page.getByText('./countersign --credentials FILE console', { exact: true }).waitFor();
    await page.getByText('The link adds the passkey to the user of that key.').waitFor();
    const { id } = await waiting(all.asker, ...tag('By a command'));
    await opens(`approvals?open=${id}`);
    const list = page.getByRole('region', { name: 'Requests that wait' });
    await list.getByText('This list as a command').click();
    await list.getByText('./countersign approvals list', { exact: true }).waitFor();
    await page.getByText('As a command', { exact: true }).click();
    await page.getByText(`./countersign approvals approve ${id}`, { exact: true }).waitFor();
    await page.getByText(WHOSE).first().waitFor();
  });

  test('an export that leaves older activities out says so', async () => {
    let count = 1000;
    const { activity } = (await all.approver.query('get_activity', { activityId: refused })).body;
    const idOf = (i: number) => `0191f3c2-0000-7000-8000-${String(i).padStart(12, '0')}`;
    await page.route('**/query/list_activities', (route) => {
      const { limit, after } = route.request().postDataJSON().paginationOptions;
      const start = after === undefined ? 0 : Number(after.slice(-12)) + 1;
      const length = Math.max(Math.min(Number(limit), count - start), 0);
      return route.fulfill({ json: { activities: Array.from({ length }, (_, i) => ({ ...activity, id: idOf(start + i) })) } });
    });
    await opens('activities');
    const told = page.getByText('The file has the newest 1,000. Narrow the filters for older ones.');
    const lines = async (): Promise<number> => {
      const asked = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export as JSON lines' }).click();
      return readFileSync(await (await asked).path(), 'utf8')
        .trimEnd()
        .split('\n').length;
    };
    assert.equal(await lines(), 1000);
    await page.getByRole('button', { name: 'Export as JSON lines' }).and(page.locator(':enabled')).waitFor();
    assert.equal(await told.count(), 0);
    count = 1001;
    assert.equal(await lines(), 1000);
    await told.waitFor();
    await page.unrouteAll();
  });
});
