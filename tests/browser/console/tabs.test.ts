/** Tabs of one browser: one of them listens, and each shows what is new. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { waitFor } from '../../support/wait.ts';
import { type People, people, tag, waiting } from './requests.ts';
import { secretsOf } from './secrets.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

describe('tabs of the console', { skip }, () => {
  const world = consoleWorld();
  let all: People;
  before(async () => {
    all = await people(world);
  });

  test('two tabs show a new request by one stream, and a sign-out in one signs out the other', async () => {
    const { asker, approver } = all;
    const first = await world.enrolled(approver);
    await first.getByRole('link', { name: 'Go to approvals' }).click();
    const second = await first.context().newPage();
    const asked: string[] = [];
    for (const page of [first, second])
      page.on('request', (request) => {
        if (request.url().includes('/stream/activities')) asked.push(page === first ? 'first' : 'second');
      });
    await second.goto(`${world.origin}/console/approvals`);
    const tabs = [first, second];
    for (const page of tabs) await page.getByText('Nothing waits').waitFor();
    const { id } = await waiting(asker, ...tag('In both'));
    for (const page of tabs) await page.getByRole('listitem').first().waitFor();
    // News of another request make only the lists old, and a hidden tab waits until it is seen.
    await first.getByRole('listitem').first().click();
    await first.getByText('Read here from the signed bytes').waitFor();
    await second.evaluate(() => Object.defineProperty(document, 'hidden', { configurable: true, value: true }));
    const read: string[] = [];
    first.on('request', (request) => void (request.postData()?.includes(id) && read.push(request.url())));
    await waiting(asker, ...tag('Another'));
    await first.locator('.requests li').nth(1).waitFor();
    assert.deepEqual(read, []);
    assert.equal(await second.locator('.requests li').count(), 1);
    await second.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: false });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await second.locator('.requests li').nth(1).waitFor();
    assert.ok(!asked.includes('second'), 'the second tab has no stream of its own');
    await first.getByRole('link', { name: 'Account', exact: true }).click();
    await first.getByRole('button', { name: 'Sign out' }).click();
    for (const page of tabs) await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await second.close();
    await first.close();
  });

  test('a list whose 20 newest rows are new is asked for no more until they are shown', async () => {
    const { asker, approver } = all;
    const page = await world.enrolled(approver);
    await page.goto(`${world.origin}/console/activities`);
    await page.locator('table.activities').waitFor();
    for (let i = 0; i < 25; i++) await waiting(asker, ...tag(`Many ${i}`));
    await page.getByRole('button', { name: '20+ new' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url().replace(/.*\//, '')));
    let listed = '';
    page.on('response', async (response) => {
      if (response.url().endsWith('/list_waiting_activities')) listed = await response.text();
    });
    let last = '';
    // What was under way comes with the first of them.
    for (const name of ['The first after', 'The last one']) {
      last = (await waiting(asker, ...tag(name))).id;
      await waitFor(name, () => listed.includes(last));
    }
    assert.ok(!asked.includes('list_activities'), asked.join(' '));
    await page.getByRole('button', { name: '20+ new' }).click();
    await page.locator(`table.activities a[href*="${last}"]`).first().waitFor();
    await page.close();
  });

  test('a secret that is left anywhere is found', async () => {
    const secrets = secretsOf();
    const page = await world.open('/console/');
    secrets.watch(page);
    const [stored, asked, kept, logged] = ['stored', 'asked', 'kept', 'logged'].map((one) => `a-secret-${one}`) as [
      string,
      string,
      string,
      string,
    ];
    secrets.note(stored, asked, kept, logged, 'a-secret-nowhere', 'Sign in with a passkey');
    await page.evaluate(
      async ([stored, asked, kept]) => {
        sessionStorage.setItem('left', stored!);
        history.pushState({}, '', `#${kept}`);
        await fetch(`/health?${asked}`);
      },
      [stored, asked, kept],
    );
    secrets.output.last(Buffer.from(logged));
    await secrets.leave(page);
    const found = ['an address', 'the browser', 'the history', 'the log', 'the bundle'];
    assert.deepEqual(
      secrets
        .found()
        .map((text) => text.split(' has ')[0])
        .sort(),
      found.sort(),
    );
    await page.close();
  });
});
