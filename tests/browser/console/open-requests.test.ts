/** A request that stays open while something else happens. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { resultOf } from '../../support/client.ts';
import { waitFor } from '../../support/wait.ts';
import { opens, type People, people, signing, statusOf, tag, waiting } from './requests.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

/** Half a second, less what clocks of a browser round. */
const STILL_MS = 498;

const APPROVE = { name: 'Approve with passkey…' };

/** What the tests leave in a page. */
type Noted = { opened: number; withdrawn: number; answer(): Promise<void>; wasOff: boolean; turns: Turn[] };

/** A button went on or off, in milliseconds of the page's life. */
type Turn = { isOn: boolean; at: number };

/** Prompts wait until the test answers the last one, or the page withdraws it. */
const holdPrompts = (page: Page) =>
  page.evaluate(() => {
    const noted = globalThis as unknown as Noted;
    const { credentials } = navigator;
    const real = credentials.get.bind(credentials);
    noted.opened = 0;
    noted.withdrawn = 0;
    const get = ({ signal, ...options }: CredentialRequestOptions = {}) =>
      new Promise<Credential | null>((resolve, reject) => {
        noted.opened += 1;
        signal?.addEventListener('abort', () => {
          noted.withdrawn += 1;
          reject(signal.reason);
        });
        noted.answer = () => real(options).then(resolve, reject);
      });
    Object.assign(credentials, { get });
  });

/** Notes when the button of a name goes on and off, from the moment when it is drawn. */
const noteTurns = (page: Page, name: string) =>
  page.addInitScript((name) => {
    const turns: Turn[] = [];
    Object.assign(globalThis, { turns });
    const look = () => {
      const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name);
      if (button && turns.at(-1)?.isOn !== !button.disabled) turns.push({ isOn: !button.disabled, at: performance.now() });
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  }, name);
const turnsOf = (page: Page) => page.evaluate(() => (globalThis as unknown as Noted).turns);

const opened = (page: Page, count: number) =>
  page.waitForFunction((count) => (globalThis as unknown as Noted).opened === count, count);
const answers = (page: Page) => page.evaluate(() => (globalThis as unknown as Noted).answer());

describe('requests that stay open in the console', { skip }, () => {
  const world = consoleWorld();
  let all: People;
  before(async () => {
    all = await people(world);
  });

  test('a prompt is withdrawn when another request is opened, and when the request waits no more', async () => {
    const page = await world.enrolled(all.approver);
    const { id } = await waiting(all.asker, ...tag('Left'));
    const other = await waiting(all.asker, ...tag('Opened instead'));
    await opens(world, page, id);
    await holdPrompts(page);
    await page.getByRole('button', APPROVE).click();
    await opened(page, 1);
    await page.locator(`.requests a[href*="${other.id}"]`).click();
    await page.locator('.fingerprint code', { hasText: other.fingerprint.slice(7, 11) }).waitFor();
    // A device that answers late.
    await answers(page);
    await page.getByRole('button', APPROVE).click();
    await opened(page, 2);
    await all.second.submit('APPROVE_ACTIVITY', { fingerprint: other.fingerprint });
    await page.getByText('It no longer waits: it is completed.').waitFor();
    await page.waitForFunction(() => (globalThis as unknown as Noted).withdrawn === 2);
    assert.equal(await page.getByText(/failed|was closed/).count(), 0);
    assert.equal(await statusOf(world, id), 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    await page.close();
  });

  test('what holds now is read again, and buttons wait for half a second when drawn and then', async () => {
    const { root } = world.instance;
    const [asker, approver] = await Promise.all(
      [all.asker, all.approver].map(async (client) => (await client.query('whoami')).body.userId),
    );
    const made = { effect: 'EFFECT_ALLOW', notes: '' };
    const policies = [
      { policyName: 'Payments', condition: 'eth.tx.value <= 1000', ...made },
      {
        ...{ policyName: 'Changes by two', condition: "activity.kind == 'UPDATE_POLICY'", ...made },
        consensus: `approvers.any(user, user.id == '${asker}') && approvers.any(user, user.id == '${approver}')`,
      },
    ];
    const [payments] = await Promise.all(
      policies.map(async (policy) => resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult')),
    );
    const { policyId } = payments!;
    const update = (policyCondition: string) => ['UPDATE_POLICY_V2', { policyId, policyCondition }] as const;
    const { id } = await waiting(all.asker, ...update('eth.tx.value <= 5000'));
    const page = await world.enrolled(all.approver);
    await noteTurns(page, APPROVE.name);
    await opens(world, page, id);
    const now = (condition: string) => page.locator('.before').getByText(condition, { exact: true });
    await now('eth.tx.value <= 1000').waitFor();
    const approve = page.getByRole('button', APPROVE);
    await approve.and(page.locator(':enabled')).waitFor();
    const { activity } = (await root.submit(...update('eth.tx.value <= 10'))).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
    await now('eth.tx.value <= 10').waitFor();
    await page.waitForFunction(() => (globalThis as unknown as Noted).turns.filter(({ isOn }) => isOn).length === 2);
    const turns = await turnsOf(page);
    assert.deepEqual(
      turns.map(({ isOn }) => isOn),
      [false, true, false, true],
    );
    // Drawn, and changed: each press has to wait for half a second.
    assert.ok(turns[1]!.at - turns[0]!.at >= STILL_MS && turns[3]!.at - turns[2]!.at >= STILL_MS, JSON.stringify(turns));
    await approve.click();
    await page.getByText('Approved: it is completed.').waitFor();
    await page.close();
  });

  test('an open request is asked about again when policies change, and not when another one is made', async () => {
    const { root } = world.instance;
    const page = await world.enrolled(all.approver);
    // It is asked about after this time too.
    await page.addInitScript(() => {
      const real = setInterval;
      const never = 2 ** 31 - 1;
      Object.assign(globalThis, { setInterval: (run: () => void, ms: number) => real(run, ms === 15_000 ? never : ms) });
    });
    const [payment] = await signing(world);
    const { id } = await waiting(all.asker, ...payment!);
    await opens(world, page, id);
    await page.getByText('Your approval would complete it').waitFor();
    // The first message of a stream may tell of changes before it.
    const noted = await waiting(all.asker, ...tag('First message'));
    await page.locator(`.requests a[href*="${noted.id}"]`).waitFor();
    let asked: string[] = [];
    let lastAt = performance.now();
    page.on('request', (request) => {
      const name = request.url().split('/').at(-1)!;
      if (!['get_activity', 'review_activity'].includes(name) || !request.postData()?.includes(id)) return;
      asked.push(name);
      lastAt = performance.now();
    });
    // The first reading may have been under way.
    await waitFor('the end of questions', () => performance.now() - lastAt > 1500);
    asked = [];
    const another = await waiting(all.asker, ...tag('Beside'));
    await page.locator(`.requests a[href*="${another.id}"]`).waitFor();
    assert.deepEqual(asked, []);
    const policy = { policyName: 'No payments now', effect: 'EFFECT_DENY', condition: "activity.action == 'SIGN'", notes: '' };
    const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
    await page.getByText('No payments now').first().waitFor();
    assert.deepEqual(new Set(asked), new Set(['get_activity', 'review_activity']));
    resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
    await page.getByText('No payments now').first().waitFor({ state: 'detached' });
    await page.getByRole('button', APPROVE).waitFor();
    await page.close();
  });

  test('a second press at once does nothing in the dialog that the first one opened', async () => {
    const page = await world.enrolled(all.approver);
    const { id } = await waiting(all.asker, ...tag('Pressed twice'));
    await opens(world, page, id);
    await page.evaluate(() => {
      const press = () => {
        const button = [...document.querySelectorAll('[role=dialog] button')].find((one) => one.textContent === 'Reject it');
        if (button === undefined) return;
        seen.disconnect();
        (button as HTMLElement).click();
        (globalThis as unknown as Noted).wasOff = (button as HTMLButtonElement).disabled;
      };
      const seen = new MutationObserver(press);
      seen.observe(document.body, { childList: true, subtree: true });
    });
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.waitForFunction(() => (globalThis as unknown as Noted).wasOff !== undefined);
    assert.ok(await page.evaluate(() => (globalThis as unknown as Noted).wasOff));
    await page.getByRole('button', { name: 'Reject it' }).and(page.locator(':enabled')).waitFor();
    assert.equal(await statusOf(world, id), 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    await page.close();
  });

  test('the focus goes to the outcome of a vote, and on a narrow page to the request that takes the place of the list', async () => {
    const page = await world.enrolled(all.approver);
    const has = (text: string) => page.waitForFunction((text) => document.activeElement?.textContent === text, text);
    const outcome = page.locator('.pane > [role=status]');
    const first = await waiting(all.asker, ...tag('Approved'));
    await opens(world, page, first.id);
    assert.equal(await outcome.innerText(), '');
    await page.getByRole('button', APPROVE).click();
    await has('Approved: it is completed.');
    assert.equal(await outcome.innerText(), 'Approved: it is completed.');
    const second = await waiting(all.asker, ...tag('Rejected'));
    await opens(world, page, second.id);
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByRole('button', { name: 'Reject it' }).click();
    await has('Rejected: it will not run.');
    const third = await waiting(all.asker, ...tag('On a telephone'));
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${world.origin}/console/approvals`);
    await page.locator(`.requests a[href*="${third.id}"]`).press('Enter');
    await page.waitForFunction(() => document.activeElement?.matches('.pane h1'));
    await page.close();
  });
});
