/** The overview, keys, notices, and the list of activities in which only the seen rows are drawn. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { aggregation, method, velocityControl } from '../../activities/velocity-controls/support.ts';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { resultOf } from '../../support/client.ts';
import { type People, people, tag, waiting } from './requests.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

/** It stays a text, whatever it says. */
const MARKUP = '<img src=x onerror=alert(1)>';

describe('the overview and what surrounds pages', { skip }, () => {
  const world = consoleWorld();
  let all: People;
  let page: Page;
  before(async () => {
    all = await people(world);
    page = await world.enrolled(all.approver);
  });

  const at = (path: string) => page.goto(`${world.origin}/console/${path}`);
  const part = (name: string) => page.getByRole('region', { name });

  test('the overview has what waits, failed, is frozen or nearly full, and warnings of the service', async () => {
    const { root, newUser } = world.instance;
    await at('overview');
    await part('Waits for you').getByText('Nothing waits for you.').waitFor();
    await part('Failed today').getByText('Nothing has failed.').waitFor();
    await part('Frozen').getByText('Nothing is frozen.').waitFor();
    await part('Limits close to full').getByText('There is no limit.').waitFor();
    await part('The service').getByText('It is ready, and warns of nothing.').waitFor();

    const { userId } = await newUser('Frozen one');
    resultOf(await root.submit('COUNTERSIGN_FREEZE', { userId, reason: MARKUP }), 'countersignFreezeResult');
    const control = velocityControl({
      name: `Tags ${MARKUP}`,
      identifier: 'tags',
      dataSource: { activityExecution: { filter: { activity: [{ activityType: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG' }] } } },
      aggregation: aggregation({ method: method('COUNT'), threshold: '2' }),
    });
    resultOf(await root.submit('CREATE_VELOCITY_CONTROL', control), 'createVelocityControlResult');
    for (const name of ['One', 'Two']) {
      const made = await root.submit('CREATE_PRIVATE_KEY_TAG', { privateKeyTagName: name, privateKeyIds: [] });
      resultOf(made, 'createPrivateKeyTagResult');
    }
    const refused = await all.asker.submit('CREATE_WALLET', { walletName: 'None', accounts: [] });
    assert.equal(refused.status, 403, refused.text);
    const { id } = await waiting(all.asker, ...tag('Soon'));
    await page.route('**/ready', (route) =>
      route.fulfill({ json: { status: 'ready', warnings: [{ code: 'LITTLE_SPACE', message: `10 MiB are left ${MARKUP}` }] } }),
    );
    await at('overview');
    await part('Waits for you').locator(`a[href*="${id}"]`).waitFor();
    await part('Failed today').getByRole('link').first().waitFor();
    await part('Frozen').getByText(`User ${userId}`).waitFor();
    await part('Frozen').getByText(MARKUP).waitFor();
    await part('Limits close to full').getByText(`Tags ${MARKUP}: 100 %`).waitFor();
    await part('Limits close to full').getByText('2 of 2').waitFor();
    await part('The service').getByText(`10 MiB are left ${MARKUP}`).waitFor();
    await page.route('**/ready', (route) => route.fulfill({ status: 503, json: { status: 'not ready', reason: 'no database' } }));
    await page.reload();
    await part('The service').getByText('The service is not ready: no database').waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    // Counters that were not read are not said to be empty.
    await page.route('**/query/list_velocity_buckets', (route) => route.fulfill({ json: { velocityBuckets: [], next: 'a' } }));
    await page.reload();
    await part('Limits close to full').getByText('No counter that was read is used to 80 %.').waitFor();
    await part('Limits close to full').getByText('The first 20 limits are shown, with at most 100 counters each.').waitFor();
    await page.unroute('**/query/list_velocity_buckets');
    // One part that fails takes no other with it.
    await page.route('**/query/list_freezes', (route) => route.abort());
    await page.reload();
    await part('Frozen').getByText('Reading it failed').waitFor();
    await part('Limits close to full').getByText('2 of 2').waitFor();
    await page.unrouteAll();
  });

  test('the overview reads further counters of a limit whose page ends early, and says if there are more', async () => {
    await page.route('**/query/list_velocity_buckets', (route) => {
      const { after } = route.request().postDataJSON().paginationOptions;
      const bucket = `${after ?? ''}a`;
      const sums = after === 'a' ? { counted: '2', left: '0' } : { counted: '0', left: '2' };
      return route.fulfill({ json: { velocityBuckets: [{ bucket, ...sums }], next: bucket } });
    });
    await at('overview');
    await part('Limits close to full').getByText('2 of 2, aa').waitFor();
    await part('Limits close to full').getByText('at most 100 counters each').waitFor();
    await page.unrouteAll();
  });

  test('keys go to pages and rows, not while a person types or a dialog is open, and can be turned off', async () => {
    await at('overview');
    await part('Waits for you').getByRole('link').first().waitFor();
    const submits: string[] = [];
    page.on('request', (request) => void (request.url().includes('/submit/') && submits.push(request.url())));
    const type = async (keys: string) => {
      for (const key of keys.split(' ')) await page.keyboard.press(key);
    };
    await type('g l');
    await page.waitForURL(/\/activities$/);
    await page.locator('table.activities a').nth(1).waitFor();
    await type('j j k');
    assert.ok(
      await page
        .locator('table.activities a')
        .first()
        .evaluate((row) => row === document.activeElement),
    );
    await type('/');
    await page.getByLabel('Status').and(page.locator(':focus')).waitFor();
    await page.getByRole('textbox', { name: 'Kind' }).focus();
    await type('g a ?');
    assert.ok(page.url().endsWith('/activities'));
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.getByRole('textbox', { name: 'Kind' }).fill('');
    await page.locator('main').focus();
    await type('?');
    await page.getByRole('dialog', { name: 'Keys and notices' }).waitFor();
    await type('g a');
    assert.ok(page.url().endsWith('/activities'));
    await page.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await type('g a ?');
    await page.reload();
    await page.locator('table.activities').waitFor();
    await type('g a');
    assert.ok(page.url().endsWith('/activities'));
    await page.getByRole('button', { name: 'Keys and notices' }).click();
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await type('g a');
    await page.waitForURL(/\/approvals$/);
    await page.locator('.requests a').first().click();
    await page.getByRole('button', { name: 'Approve with passkey…' }).and(page.locator(':enabled')).waitFor();
    await page.locator('main').focus();
    const single = [...'abcdefhiklmnopqrstuvwxyz', 'Enter', ' ', 'Delete', 'Backspace'];
    for (const key of single) await page.keyboard.press(key === ' ' ? 'Space' : key);
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.deepEqual(submits, []);
  });

  test('the browser is asked for notices by a button alone, and a notice names no request', async () => {
    const other = await page.context().newPage();
    await other.clock.install({ time: world.instance.clock.now() });
    await other.addInitScript(() => {
      const told = { asked: 0, shown: [] as string[] };
      class Recorded {
        static permission = 'default';
        static requestPermission = async () => {
          told.asked += 1;
          // The first time a person closes the question.
          Recorded.permission = told.asked === 1 ? 'default' : 'granted';
          return Recorded.permission;
        };
        constructor(title: string, { body }: { body: string }) {
          told.shown.push(`${title}: ${body}`);
        }
        close() {}
      }
      Object.assign(globalThis, { Notification: Recorded, told });
    });
    const told = () => other.evaluate(() => (globalThis as unknown as { told: { asked: number; shown: string[] } }).told);
    await other.goto(`${world.origin}/console/overview`);
    await other.getByRole('region', { name: 'Waits for you' }).getByRole('link').first().waitFor();
    assert.deepEqual(await told(), { asked: 0, shown: [] });
    await other.getByRole('button', { name: 'Keys and notices' }).click();
    await other.getByRole('button', { name: 'Show notices too' }).click();
    await other.getByText('The browser was not told to allow notices.').waitFor();
    await other.getByRole('button', { name: 'Show notices too' }).click();
    await other.getByText('This browser shows a notice when more waits for you.').waitFor();
    await other.keyboard.press('Escape');
    await other.evaluate(() => Object.defineProperty(document, 'hidden', { configurable: true, value: true }));
    const before = Number((/^\((\d+)/.exec(await other.title()) ?? ['', '0'])[1]);
    await waiting(all.asker, ...tag('A secret plan'));
    // A hidden tab asks once a minute.
    await other.clock.fastForward(61_000);
    await other.waitForFunction(() => (globalThis as unknown as { told: { shown: string[] } }).told.shown.length > 0);
    assert.deepEqual(await told(), { asked: 2, shown: [`Countersign: ${before + 1} waiting for you`] });
    await other.close();
  });

  test('a page of a list that fails is asked for again by the button alone', async () => {
    let asked = 0;
    await page.route('**/query/list_activities', (route) => {
      if (!('after' in (route.request().postDataJSON().paginationOptions ?? {}))) return route.continue();
      asked += 1;
      return route.fulfill({ status: 403, json: { code: 7, message: 'no older ones', details: [] } });
    });
    await at('activities');
    await page.locator('table.activities').waitFor();
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.getByText('no older ones').waitFor();
    await page.evaluate(async () => {
      for (let i = 0; i < 30; i++) await new Promise(requestAnimationFrame);
    });
    assert.equal(asked, 1);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Older ones' }).click();
    await page.getByText('no older ones').waitFor({ state: 'detached' });
  });

  test('a list that the service could not answer is read when it is back', async () => {
    await page.route('**/query/list_activities', (route) =>
      route.fulfill({ status: 403, json: { code: 7, message: 'away', details: [] } }),
    );
    await at('activities');
    await page.getByText('Reading activities failed').waitFor();
    await page.unrouteAll();
    // As the tab that listens tells the others, once its stream is there again.
    await page.evaluate((organizationId) => {
      new BroadcastChannel('countersign.news').postMessage({ organizationId, live: true });
    }, world.instance.root.organizationId);
    await page.locator('table.activities').waitFor();
  });

  test('a long list draws the rows that are seen, and a new activity moves none of them', async () => {
    const { root } = world.instance;
    const user = (i: number) => ({ userTagName: `Row ${i}`, userIds: [] });
    await Promise.all(Array.from({ length: 220 }, (_, i) => root.submit('CREATE_USER_TAG', user(i))));
    await at('activities?type=create_user_tag');
    const table = page.locator('table.activities');
    await table.waitFor();
    const known = async () => Number(await table.getAttribute('aria-rowcount')) - 1;
    while ((await known()) < 200) {
      const before = await known();
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      await page.waitForFunction(
        (count) => Number(document.querySelector('table.activities')!.getAttribute('aria-rowcount')) - 1 > count,
        before,
      );
    }
    assert.ok((await page.locator('table.activities tbody tr').count()) < 120);
    // The middle of the list is on the screen, and each row is where its number says.
    const middle = () =>
      page.evaluate(() => {
        const rows = [...document.querySelectorAll('table.activities tbody tr')];
        const row = rows.find((one) => one.getBoundingClientRect().top > 300)!;
        const { top, height } = row.getBoundingClientRect();
        const box = document.querySelector('.window')!.getBoundingClientRect();
        return { href: row.querySelector('a')!.href, top, place: (top - box.top) / height, at: row.ariaRowIndex };
      });
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight / 2));
    await page.waitForFunction(() => {
      const row = document.querySelector('table.activities tbody tr:last-child')!;
      return row.getBoundingClientRect().top > innerHeight;
    });
    const before = await middle();
    assert.ok(Math.abs(before.place - (Number(before.at) - 1)) < 1, JSON.stringify(before));
    await root.submit('CREATE_USER_TAG', user(1000));
    await page.getByRole('button', { name: '1 new' }).waitFor();
    assert.deepEqual(await middle(), before);
    // Each drawing of a row writes its time once. All rows are drawn anew now and then, as times pass.
    const drawn = await page.evaluate(async () => {
      const first = () => document.querySelector('table.activities tbody tr')!.ariaRowIndex;
      const { toISOString } = Date.prototype;
      const counts: number[] = [];
      for (let move = 0; move < 3; move++) {
        const known = first();
        let count = 0;
        Date.prototype.toISOString = function () {
          count++;
          return toISOString.call(this);
        };
        while (first() === known) {
          scrollBy(0, -40);
          await new Promise(requestAnimationFrame);
        }
        counts.push(count);
      }
      Date.prototype.toISOString = toISOString;
      return Math.min(...counts);
    });
    assert.ok(drawn > 0 && drawn <= 40, `${drawn} rows were drawn as the window moved by some`);
    await page.getByRole('button', { name: '1 new' }).click();
    await page.waitForFunction(() => scrollY === 0);
    assert.ok((await known()) < 200, 'it starts again with the newest page');
  });
});
