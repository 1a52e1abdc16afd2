/** The console in Chromium, signed in with the root key of a service that is measured. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { put, ROOT } from '../../scripts/bundle-place.ts';
import { makeConsole } from '../../scripts/console/build.ts';
import { type Browser, startBrowser } from '../../tests/support/chromium.ts';
import { fill } from '../growth-data.ts';
import { freshFolder, startOn } from '../servers.ts';
import { readCredentials } from '../stamp.ts';
import type { Servers } from '../types.ts';

type Shown = Pick<Servers, 'ports' | 'credentialsFile' | 'stop'>;

/** A service with that number of activities. It was stopped while they were added: a folder has one process. */
export async function startFilled(program: string, activities: number, say: (text: string) => void): Promise<Shown> {
  const { folder, remove } = freshFolder();
  const started = () => startOn(folder, undefined, program);
  try {
    const first = await started();
    await first.stop();
    const credentialsFile = join(folder, 'root-credentials.json');
    const scale = { activities, subOrganizations: 0, users: 0, policies: 0, wallets: 0 };
    await fill({ folder, databaseUrl: undefined }, readCredentials(credentialsFile).organizationId, scale, say);
    const { port, stop } = await started();
    return { ports: [port], credentialsFile, stop: () => stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The list of activities. */
export async function openList({ ports, credentialsFile }: Omit<Shown, 'stop'>): Promise<{ browser: Browser; page: Page }> {
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
