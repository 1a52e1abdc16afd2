/** Pages of the console as people open them one after the other, and what the service answered to each. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Client } from '../../support/client.ts';
import type { ConsoleWorld } from './world.ts';

const NOWHERE = '0191f3c2-0000-7000-8000-000000000000';

/** Pages that need no session: of links, and of a window that comes back. */
export const APART = ['enrol', 'join', 'signed-in'];

/** A request that waits, and its sender. */
export type Asked = { id: string; fingerprint: string; userId: string };

export const pagesOf = (own: Asked, foreign: Asked): readonly string[] => [
  'overview',
  'approvals',
  'approvals?show=all',
  'approvals?show=decided',
  `approvals?open=${own.id}`,
  `approvals?open=${foreign.id}`,
  'activities',
  'activities?status=FAILED',
  `activities?user=${own.userId}`,
  `activities?user=${foreign.userId}`,
  `activities/${own.id}`,
  ...['votes', 'decision', 'body', 'result', 'related'].map((tab) => `activities/${own.id}?tab=${tab}`),
  `activities/${foreign.id}`,
  `activities/${foreign.fingerprint}`,
  `activities/${NOWHERE}`,
  'activities/no-id',
  'account',
  ...APART,
  'nowhere',
];

/** A page of a person who signed in by the key of a client. */
export async function signedIn(world: ConsoleWorld, { organizationId, keys }: Client): Promise<Page> {
  const page = await world.open('/console/overview');
  // Dozens of pages are loaded one after the other, beside other tests.
  page.setDefaultTimeout(120_000);
  const content = JSON.stringify({ organizationId, apiPrivateKey: keys.privateKey });
  await page.getByText('Other ways').click();
  const choice = { name: 'key.json', mimeType: 'application/json', buffer: Buffer.from(content) };
  await page.getByLabel('A key file').setInputFiles(choice);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** Text of a page that has nothing left to read. Each has a heading. */
export async function settled({ origin }: ConsoleWorld, page: Page, path: string): Promise<string> {
  await page.goto(`${origin}/console/${path}`);
  const heading = page.locator('main h1').first();
  await heading.waitFor().catch((error: Error) => assert.fail(`${path}: ${error.message}`));
  await page.waitForFunction(
    () => document.querySelector('[aria-busy=true]') === null && !/Reading(?: the signed body)?…/.test(document.body.innerText),
  );
  return page.locator('body').innerText();
}

/** What the service answers to a page, the queries by their organization, and the paths of activities. */
export function answersOf(page: Page) {
  const answers: Promise<string>[] = [];
  const asked = new Map<string, Set<string>>();
  const submits: string[] = [];
  page.on('response', (answer) => {
    const { pathname } = new URL(answer.url());
    if (pathname.includes('/submit/')) submits.push(pathname);
    if (!pathname.startsWith('/public/v1/query/')) return;
    const { organizationId } = answer.request().postDataJSON();
    asked.set(organizationId, (asked.get(organizationId) ?? new Set()).add(pathname.split('/').at(-1)!));
    // A failure shows the request's id.
    answers.push(
      Promise.resolve(answer.headers()['x-request-id'] ?? ''),
      answer.text().catch(() => ''),
    );
  });
  return { answers, asked, submits };
}

/** What another organization has is not there. */
export async function saysNothingOf(page: Page, path: string, { id, fingerprint, userId }: Asked): Promise<void> {
  const says = (text: RegExp) => page.getByText(text).first().waitFor();
  if (path.includes(id)) await says(/not found/i);
  if (path.includes(fingerprint)) await says(/No activity of this organization has this fingerprint/);
  if (path.includes(userId)) {
    await says(/No activity fits these filters/);
    await says(/This organization has no such user now/);
  }
}
