/** The reference in a browser: its search by keyboard, its looks, and its accessibility. With PICTURES, pictures are kept in that folder. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { BESIDE, put, ROOT } from '../../scripts/bundle-place.ts';
import { makeReference } from '../../scripts/bundle-reference.ts';
import { referenceIn } from '../../src/app/reference.ts';
import { type Browser, chromiumProgram, NO_CHROMIUM, startBrowser } from '../support/chromium.ts';
import { partOf } from '../support/full.ts';
import { type Instance, startInstance } from '../support/instance.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** One of each kind. The wide look has other colours and another place for the contents, so axe need not read all pages twice. */
const KINDS = ['/docs', '/docs/errors', '/docs/stamps', '/docs/guides/treasury', '/docs/api/signing', '/docs/api/shapes'];
/** Narrow in light and wide in dark: the colours do not depend on the width. */
const LOOKS = [
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 1280, height: 900, colorScheme: 'dark' },
] as const;

/** Serious findings of axe. */
async function seriousIn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
  });
}

describe('the reference', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  let instance: Instance;
  let browser: Browser;
  const said: string[] = [];

  before(async () => {
    await makeReference(ROOT, BESIDE, put);
    instance = await startInstance();
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await instance?.close();
    assert.deepEqual(said, []);
  });

  async function open(place: string, width = 1280): Promise<Page> {
    const page = await browser.page('about:blank');
    page.on('console', (line) => void said.push(line.text()));
    page.on('pageerror', ({ message }) => void said.push(message));
    page.on('request', (request) => {
      if (!request.url().startsWith(instance.url)) said.push(`a request to ${request.url()}`);
    });
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${instance.url}/docs${place}`);
    return page;
  }

  test('the first page shows in less than a second', async () => {
    const times: number[] = [];
    // Other tests run beside this one, so the fastest of ten counts.
    while (times.length < 10 && !times.some((time) => time < 1000)) {
      const page = await open('');
      const paint = await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
      times.push((await paint.jsonValue())!);
      await page.close();
    }
    assert.ok(times.at(-1)! < 1000, `${times} ms`);
  });

  test('a keyboard is enough to search and to read', async () => {
    const page = await open('');
    await page.keyboard.press('/');
    await page.keyboard.type('rotate api key');
    await page.locator('#found li').first().waitFor();
    assert.match(await page.locator('#count').innerText(), /^\d+ places$/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/permissions#rotating-an-api-key');
    const heading = page.getByRole('heading', { name: 'Rotating an API key' });
    const box = (await heading.boundingBox())!;
    const bar = (await page.locator('header').boundingBox())!;
    assert.ok(box.y >= bar.y + bar.height, 'the bar covers the heading');
    await page.keyboard.press('/');
    await page.keyboard.type('create_wallet');
    await page.locator('#found li').first().waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#found li').count(), 0);
    await page.keyboard.type('create_wallet');
    await page.locator('#found li').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/api/wallets#create_wallet');
    const folded = page
      .locator('section', { has: page.locator('#create_wallet') })
      .locator('summary', { hasText: 'Command line' });
    await folded.focus();
    await page.keyboard.press('Enter');
    assert.ok(await page.getByText("./countersign submit create_wallet - <<'END'").isVisible());
    await page.close();
  });

  for (const { width, height, colorScheme } of LOOKS)
    test(`pages of ${width} pixels in ${colorScheme} colours have nothing serious, and nothing is cut off`, async () => {
      const paths = Object.entries(referenceIn(ROOT)!).flatMap(([path, text]) =>
        text.startsWith('<!doctype html>') ? [path] : [],
      );
      assert.ok(paths.length > 70, `${paths.length} pages`);
      const page = await open('', width);
      await page.emulateMedia({ colorScheme });
      for (const path of new Set([...KINDS, ...partOf(paths, 4, 4)])) {
        await page.setViewportSize({ width, height });
        await page.goto(`${instance.url}${path}`);
        if (colorScheme === 'light' || KINDS.includes(path)) assert.deepEqual(await seriousIn(page), [], path);
        const cut = await page.evaluate(() =>
          [document.documentElement, ...document.querySelectorAll('pre')].flatMap(({ scrollWidth, clientWidth, textContent }) =>
            scrollWidth > clientWidth ? [textContent!.slice(0, 40)] : [],
          ),
        );
        assert.deepEqual(cut, [], path);
        const name = `reference${path.slice('/docs'.length).replaceAll('/', '-') || '-start'}-${width}-${colorScheme}.png`;
        if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, name) });
      }
      await page.close();
    });
});
