/** Makes the pictures of docs/console.md: a service with requests that wait, and its console in Chromium. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { enrolAddress } from '../../tests/browser/console/world.ts';
import { type Browser, chromiumProgram, NO_CHROMIUM, startBrowser } from '../../tests/support/chromium.ts';
import { startInstance } from '../../tests/support/instance.ts';
import { put, ROOT } from '../bundle-place.ts';
import { makeConsole } from './build.ts';
import { treasury } from './pictured.ts';
import { smallPng } from './small-png.ts';

const FOLDER = join(ROOT, 'docs/pictures');

type Look = { width: number; height: number; dark?: boolean };
const DESK: Look = { width: 1280, height: 860 };
const PHONE: Look = { width: 390, height: 844, dark: true };

async function picture(browser: Browser, page: Page, name: string, { width, height, dark = false }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height });
  await page.evaluate(() => document.fonts.ready);
  const bytes = await smallPng(browser, await page.screenshot());
  writeFileSync(join(FOLDER, `${name}.png`), bytes);
  process.stdout.write(`docs/pictures/${name}.png  ${Math.round(bytes.length / 1000)} kB\n`);
}

/** `place`: in the list, the newest first. */
async function openRequest(page: Page, place: number): Promise<void> {
  await page.setViewportSize(DESK);
  await page.getByRole('region', { name: 'Requests that wait' }).getByRole('listitem').nth(place).getByRole('link').click();
  await page.getByText('Read here from the signed bytes').waitFor();
  await page.locator('article:not([aria-busy=true])').waitFor();
  await page.getByText('Whose approval counts').waitFor();
}

async function pictures(browser: Browser, instance: Awaited<ReturnType<typeof startInstance>>): Promise<void> {
  const { approver } = await treasury(instance);
  const origin = instance.url.replace('127.0.0.1', 'localhost');
  const page = await browser.page(await enrolAddress(origin, approver));
  await page.getByRole('button', { name: 'Make a passkey' }).waitFor();
  await picture(browser, page, 'console-first-passkey', { ...DESK, height: 480 });

  await page.getByRole('button', { name: 'Make a passkey' }).click();
  await page.getByRole('link', { name: 'Go to approvals' }).click();
  await openRequest(page, 0);
  await picture(browser, page, 'console-approval', DESK);
  await picture(browser, page, 'console-approval-phone', PHONE);
  await openRequest(page, 1);
  await picture(browser, page, 'console-warnings', { ...DESK, height: 690 });
  await openRequest(page, 2);
  await picture(browser, page, 'console-policy', { ...DESK, height: 780 });
  await page.setViewportSize(DESK);
  await page.getByRole('link', { name: 'Activities', exact: true }).click();
  await page.locator('table.activities').waitFor();
  await picture(browser, page, 'console-activities', { ...DESK, height: 640 });
}

async function main(): Promise<void> {
  if (chromiumProgram() === undefined) throw new Error(NO_CHROMIUM);
  mkdirSync(FOLDER, { recursive: true });
  await makeConsole(ROOT, put);
  const instance = await startInstance();
  try {
    const browser = await startBrowser();
    await pictures(browser, instance).finally(browser.close);
  } finally {
    await instance.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`the pictures are not made: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
