/** Accessibility and width of each page, in light and dark. With PICTURES, pictures are kept in that folder. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { resultOf } from '../../support/client.ts';
import { isFull, isRelease } from '../../support/full.ts';
import { people, signing, tag, waiting } from './requests.ts';
import { consoleWorld, enrolAddress } from './world.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const WIDTHS = [1280, 390, 320];
const AXE_IN: Record<number, 'light' | 'dark'> = { 1280: 'light', 390: 'dark' };
const NOWHERE = '0191f3c2-0000-7000-8000-000000000000';
const { PICTURES } = process.env;

const skip = chromiumProgram() === undefined ? NO_CHROMIUM : !isFull && !PICTURES && 'in --full';

describe('looks of the console', { skip }, () => {
  const world = consoleWorld();
  const against: string[] = [];

  async function looks(page: Page, name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const at = `${name}, ${width} pixels, ${colorScheme}`;
        const fits = await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
        if (!fits) against.push(`${at}: it scrolls to the side`);
        if (PICTURES && width > 320)
          await page.screenshot({ path: join(PICTURES, `console-${name}-${width}-${colorScheme}.png`), fullPage: true });
        // Before a release, axe reads each width in one colour, and no width twice.
        if (!isRelease && colorScheme !== AXE_IN[width]) continue;
        const violations = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
          const { violations } = await axe.run(document, { rules: { 'target-size': { enabled: true } } });
          return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
        });
        against.push(...violations.map((text) => `${at}: ${text}`));
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    against.push(...(await plainly(page)).map((text) => `${name}, ${text}`));
  }

  /** With the system's colours, what a fill had marked has a border. Nothing moves for people who ask for that. */
  async function plainly(page: Page): Promise<string[]> {
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    const found = await page.evaluate(() => {
      const marked = [...document.querySelectorAll('.button, .status, .count, .notice')];
      const bare = marked.filter((one) => getComputedStyle(one).borderTopStyle === 'none').map(({ className }) => className);
      const moving = [...document.querySelectorAll('body *')].filter((one) =>
        /[1-9]/.test(getComputedStyle(one).transitionDuration + getComputedStyle(one).animationDuration),
      );
      return [
        ...bare.map((name) => `forced colours: ${name} has no border`),
        ...moving.map(({ className }) => `reduced motion: ${className} moves`),
      ];
    });
    await page.emulateMedia({ forcedColors: 'none', reducedMotion: 'no-preference' });
    return found;
  }

  test('pages have nothing against them, and fit their width', async () => {
    const { asker, approver } = await people(world);
    const link = await world.open(await enrolAddress(world.origin, approver));
    await link.evaluate(AXE);
    await link.getByRole('button', { name: 'Make a passkey' }).waitFor();
    await looks(link, 'enrol');
    const page = await world.open('/console/');
    await page.evaluate(AXE);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await page.getByText('Other ways').click();
    await looks(page, 'sign-in');
    await page.close();

    await link.getByRole('button', { name: 'Make a passkey' }).click();
    await link.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await looks(link, 'enrolled');
    await link.getByRole('link', { name: 'Go to approvals' }).click();
    await link.getByText('Nothing waits').waitFor();
    await looks(link, 'nothing');
    const requests = await signing(world);
    for (const [type, parameters] of [tag('Treasury\u202e'), ...requests]) await waiting(asker, type, parameters);
    for (const [i, name] of ['tag', 'transfer', 'approval', 'raw'].toReversed().entries()) {
      await link.getByRole('region', { name: 'Requests that wait' }).getByRole('listitem').nth(i).getByRole('link').click();
      await link.getByText('Read here from the signed bytes').waitFor();
      await link.locator('article:not([aria-busy=true])').waitFor();
      await looks(link, `review-${name}`);
    }
    await link.getByRole('button', { name: 'Reject…' }).click();
    await link.getByRole('dialog').waitFor();
    await looks(link, 'dialog');
    await link.getByRole('button', { name: 'Cancel' }).click();
    await link.getByRole('link', { name: 'Activities', exact: true }).click();
    await link.locator('table.activities').waitFor();
    await looks(link, 'activities');
    await link.locator('table.activities a').first().click();
    for (const tab of ['Summary', 'Votes', 'Decision', 'Body', 'Result', 'Related']) {
      await link.getByRole('tab', { name: tab }).click();
      await link.getByRole('tabpanel', { name: tab }).waitFor();
      await looks(link, `activity-${tab.toLowerCase()}`);
    }
    await link.getByRole('link', { name: 'Account', exact: true }).click();
    await link.getByText('There is one passkey').waitFor();
    await looks(link, 'account');
    await link.getByRole('link', { name: 'Overview' }).click();
    await link.getByRole('region', { name: 'Waits for you' }).getByRole('link').first().waitFor();
    await link.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await looks(link, 'overview');
    await link.keyboard.press('?');
    await link.getByRole('dialog').waitFor();
    await looks(link, 'keys');
    for (const [path, title, name] of [
      ['nowhere', 'This page does not exist', 'not-found'],
      [`activities/${NOWHERE}`, 'Reading the activity failed', 'unknown'],
      ['activities?status=REJECTED', 'No activity fits', 'nothing-fits'],
    ] as const) {
      await link.goto(`${world.origin}/console/${path}`);
      await link.getByText(title).waitFor();
      await link.evaluate(AXE);
      await looks(link, name);
    }
    const { userId } = (await approver.query('whoami')).body;
    const { apiKeys } = (await approver.query('get_api_keys', { userId })).body;
    const sessions = apiKeys.filter((key: { credential: { sessionProfileId?: string } }) => key.credential.sessionProfileId);
    const apiKeyIds = sessions.map((key: { apiKeyId: string }) => key.apiKeyId);
    resultOf(await world.instance.root.submit('DELETE_API_KEYS', { userId, apiKeyIds }), 'deleteApiKeysResult');
    await link.reload();
    await link.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await link.evaluate(AXE);
    await looks(link, 'ended');
    await link.close();
    assert.deepEqual(against, []);
  });

  test('so do those of ways in, and of organizations below', async () => {
    const { client } = await world.instance.newUser('Reader');
    const allows = { policyName: 'Reader', effect: 'EFFECT_ALLOW', condition: "activity.kind == 'STAMP_LOGIN'", notes: '' };
    resultOf(await world.instance.root.submit('CREATE_POLICY_V3', allows), 'createPolicyResult');
    const page = await world.enrolled(client);
    await page.evaluate(AXE);
    await page.getByRole('link', { name: 'Add a second passkey' }).click();
    await page.getByText('There is one passkey').waitFor();
    await page.getByRole('button', { name: 'Remove the passkey My passkey' }).click();
    await page.getByRole('dialog').waitFor();
    await looks(page, 'remove');
    await page.getByRole('button', { name: 'Cancel' }).click();
    const { clients, organizationId } = await world.instance.newSubOrganization('Harbour', 2, 2);
    const { id } = await waiting(clients[0]!, ...tag('Below'));
    await page.getByRole('button', { name: /^Organization .*: change$/ }).click();
    await page.getByRole('link', { name: /^Harbour/ }).waitFor();
    await looks(page, 'organizations');
    await page.goto(`${world.origin}/console/approvals?open=${id}&org=${organizationId}`);
    await page.evaluate(AXE);
    await page.getByText('You read Harbour').waitFor();
    await page.getByText('These buttons are off').waitFor();
    await looks(page, 'below');
    await page.close();

    const invited = `organizationId=${organizationId}&invitationId=${id}&userId=${id}&secret=s&organizationName=Harbour`;
    const join = await world.open(`/console/join#${invited}&email=cleo@example.com`);
    await join.evaluate(AXE);
    await join.getByText('You are invited to Harbour').waitFor();
    await looks(join, 'join');
    await join.goto(`${world.origin}/console/signed-in`);
    await join.getByText('No page waits for this sign-in').waitFor();
    await join.evaluate(AXE);
    await looks(join, 'signed-in');
    await join.route('**/console/service.json', (route) => route.abort());
    await join.goto(`${world.origin}/console/`);
    await join.getByText('The console did not start').waitFor();
    await join.evaluate(AXE);
    await looks(join, 'not-started');
    await join.close();
    assert.deepEqual(against, []);
  });
});
