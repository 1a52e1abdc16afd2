/** What the console has from a browser: the first link, the first page, the clipboard, a badge, an installation. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../scripts/setup.ts';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { startProcess } from '../../support/process.ts';
import { noTerminal, ON_TERMINAL } from '../../support/terminal.ts';
import { people, tag, waiting } from './requests.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

const PAINTS = 10;
const PAINT_S = 1;

describe('the console and its browser', { skip }, () => {
  const world = consoleWorld();

  test('the link of a first start makes a passkey and signs in, in the browser', { skip: noTerminal }, async () => {
    const env = { HOST: '127.0.0.1', LOG_LEVEL: 'debug', DATA_DIR: temporaryFolder() };
    const service = await startProcess(env, undefined, ON_TERMINAL);
    const [, link] = await service.shows(/first sign-in (http\S+\/console\/enrol#[\w-]+)\s/);
    const { origin } = new URL(link!);
    const page = await world.open(link!, { origin });
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await page.getByRole('link', { name: 'Go to approvals' }).click();
    await page.getByText('Nothing waits').waitFor();
    await page.close();
    service.child.kill('SIGTERM');
    await service.exited;
    world.secrets.search('the log of the first start', service.output().replace(link!, ''));
  });

  test('the first page shows after less than a second of processor time', async () => {
    const times: number[] = [];
    // `npm run bench` measures the time on the clock, which depends on what else the machine does. So does this a little: the best of ten counts.
    while (times.length < PAINTS && !times.some((time) => time < PAINT_S)) {
      const page = await world.browser.person('about:blank');
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable');
      const used = async () => {
        const { metrics } = await session.send('Performance.getMetrics');
        return metrics.find(({ name }) => name === 'ProcessTime')!.value;
      };
      const before = await used();
      await page.goto(`${world.origin}/console/`);
      await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
      times.push((await used()) - before);
      await page.close();
    }
    assert.ok(times.at(-1)! > 0.05 && times.at(-1)! < PAINT_S, `${times} s`);
  });

  test('a browser can install it', async () => {
    const page = await world.open('/console/');
    const session = await page.context().newCDPSession(page);
    const { url, errors } = await session.send('Page.getAppManifest');
    assert.deepEqual([url, errors], [`${world.origin}/console/manifest.webmanifest`, []]);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    // Each person of these tests has a browser that keeps nothing.
    assert.deepEqual(
      installabilityErrors.map(({ errorId }) => errorId),
      ['in-incognito'],
    );
    await page.close();
  });

  test('without a stream a page asks again, and the badge counts; a copy button says whether it copied', async () => {
    const { asker, approver } = await people(world);
    const page = await world.enrolled(approver);
    await page.addInitScript(() => {
      const badges: number[] = [];
      const said = async (count: number) => void badges.push(count);
      Object.assign(navigator, { setAppBadge: said, clearAppBadge: () => said(0) });
      Object.assign(globalThis, { badges });
    });
    const badge = () => page.evaluate(() => (globalThis as unknown as { badges: number[] }).badges.at(-1));
    // The first stream is refused. A proxy holds the second one back, so nothing but the page's own questions brings news.
    const held = Promise.withResolvers<void>();
    let streams = 0;
    await page.route('**/stream/activities?*', (route) => {
      streams += 1;
      if (streams === 1) return route.fulfill({ status: 503 });
      held.resolve();
    });
    await page.goto(`${world.origin}/console/approvals`);
    await page.getByText('Nothing waits').waitFor();
    await held.promise;
    assert.equal(await badge(), 0);
    const { id, fingerprint } = await waiting(asker, ...tag('Without a stream'));
    await page.locator(`.requests a[href*="${id}"]`).waitFor();
    await page.waitForFunction(() => (globalThis as unknown as { badges: number[] }).badges.at(-1) === 1);

    await page.goto(`${world.origin}/console/activities/${id}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.origin });
    const copy = page.locator('.copy', { has: page.getByRole('button', { name: 'Copy the id' }) });
    const says = (text: string) =>
      Promise.all([copy.getByText(text, { exact: true }).waitFor(), copy.getByRole('button').click()]);
    await says('Copied');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), id);
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    });
    await says('Not copied: the browser refused');

    await approver.submit('APPROVE_ACTIVITY', { fingerprint });
    await page.waitForFunction(() => (globalThis as unknown as { badges: number[] }).badges.at(-1) === 0);
    await page.close();
  });
});
