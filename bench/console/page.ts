/** The console in Chromium, signed in with the root key of a service that is measured. */
import { dirname } from 'node:path';
import type { Page } from 'playwright-core';
import { put, ROOT } from '../../scripts/bundle-place.ts';
import { makeConsole } from '../../scripts/console/build.ts';
import { type Browser, startBrowser } from '../../tests/support/chromium.ts';
import { fill } from '../growth-data.ts';
import { readCredentials } from '../stamp.ts';
import type { Servers } from '../types.ts';

export async function fillActivities(
  { credentialsFile }: Servers,
  activities: number,
  say: (text: string) => void,
): Promise<void> {
  const { organizationId } = readCredentials(credentialsFile);
  const scale = { activities, subOrganizations: 0, users: 0, policies: 0, wallets: 0 };
  await fill({ folder: dirname(credentialsFile), databaseUrl: undefined }, organizationId, scale, say);
}

/** The list of activities. */
export async function openList({ ports, credentialsFile }: Servers): Promise<{ browser: Browser; page: Page }> {
  await makeConsole(ROOT, put);
  const browser = await startBrowser();
  try {
    const page = await browser.page(`http://localhost:${ports[0]}/console/activities`);
    page.setDefaultTimeout(120_000);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByText('Other ways').click();
    await page.getByLabel('A key file').setInputFiles(credentialsFile);
    await page.locator('table.activities').waitFor();
    return { browser, page };
  } catch (error) {
    await browser.close();
    throw error;
  }
}
