/** Requests of thousands of facts: what matters is drawn at once, the rest by a button. And a decision before many other activities. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { encodeFunctionData, erc20Abi, maxUint256, parseAbi } from 'viem';
import { grouped, type Review, reviewOf } from '../../../review/index.ts';
import { bodyOf, type Entry } from '../../review/corpus.ts';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { resultOf } from '../../support/client.ts';
import { isFull } from '../../support/full.ts';
import { largest, permits } from '../../support/largest-body.ts';
import { looking } from './looking.ts';
import { type People, people, signer, TO, TOKEN, tag, waiting } from './requests.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined ? NO_CHROMIUM : !isFull && 'in --full';

const FIRST = 200;
const PRESS = 1000;
const counted = (number: number): string => grouped(String(number));

describe('long requests', { skip }, () => {
  const world = consoleWorld();
  const { against, looks } = looking();
  let all: People;
  let page: Page;
  let own: Awaited<ReturnType<typeof signer>>;
  before(async () => {
    all = await people(world);
    own = await signer(world);
    page = await world.enrolled(all.approver);
    await page.addInitScript(() => {
      const measured = globalThis as { longestTask?: number };
      measured.longestTask = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) measured.longestTask = Math.max(measured.longestTask!, duration);
      }).observe({ type: 'longtask', buffered: true });
    });
  });

  const facts = () => page.locator('.review > dl.facts > .fact');
  const warnings = () => page.locator('.review > .warnings > .red');

  async function open([type, parameters]: [string, object]): Promise<void> {
    const { id } = await waiting(all.asker, type, parameters);
    await page.goto(`${world.origin}/console/approvals?open=${id}`);
    await page.getByText('Read here from the signed bytes').waitFor();
  }

  /** The same review, made here. */
  async function opened(entry: Entry): Promise<Review> {
    const parameters = { ...entry.parameters, signWith: own.signWith };
    await open([entry.type.replace('ACTIVITY_TYPE_', ''), parameters]);
    return reviewOf(bodyOf({ ...entry, parameters }));
  }

  test('of a mebibyte all that matters is drawn, the rest a thousand a press, and no task takes a second', async () => {
    const { facts: read, warnings: found } = await opened(largest());
    const shown = read.filter(({ main }, i) => main || i < FIRST).length;
    await facts()
      .nth(shown - 1)
      .waitFor({ state: 'attached' });
    assert.equal(await facts().count(), shown);
    assert.equal(await page.locator('.fact.main').count(), read.filter(({ main }) => main).length);
    await page.getByText(`${counted(shown)} of ${counted(read.length)} facts are shown.`).waitFor();
    // The warning is about the last token of the last message, whose facts are folded.
    assert.equal(await warnings().count(), found.filter(({ level }) => level === 'red').length);
    await warnings().getByText('parameters.payloads[7]').waitFor();
    assert.equal(await page.getByText(read.at(-1)!.label, { exact: true }).count(), 0);
    assert.equal(await page.locator('.facts.every > .fact').count(), FIRST);

    const folded = read.findIndex(({ main }, i) => !main && i >= FIRST);
    await page.getByRole('button', { name: `Show ${counted(PRESS)} more facts` }).focus();
    await page.keyboard.press('Enter');
    await facts()
      .nth(shown + PRESS - 1)
      .waitFor({ state: 'attached' });
    await page.waitForFunction(() => document.activeElement?.matches('.fact'));
    assert.ok((await page.locator(':focus').innerText()).startsWith(read[folded]!.label));
    const longest = await page.evaluate(() => (globalThis as { longestTask?: number }).longestTask!);
    assert.ok(longest > 0 && longest < 1000, `a task took ${longest} ms`);

    await page.getByRole('button', { name: 'Approve with passkey…' }).click();
    await page.getByText('Approved: it is completed.').waitFor();
  });

  test('of some hundred facts a press shows the rest, goes on there, and nothing is against the page', async () => {
    const { facts: read } = await opened(permits(1, 150));
    const more = page.getByRole('button', { name: /^Show \d+ more facts$/ });
    await more.waitFor();
    await looks(page, 'long-request');
    await more.focus();
    await page.keyboard.press('Space');
    await page.getByText(read.at(-1)!.label, { exact: true }).waitFor();
    assert.equal(await facts().count(), read.length);
    assert.equal(await more.count(), 0);
    await page.waitForFunction(() => document.activeElement?.matches('.fact'));
    assert.deepEqual(against, []);
  });

  test('of some hundred calls each with a warning is drawn, wherever it is', async () => {
    const call = (functionName: 'transfer' | 'approve', amount: bigint) =>
      encodeFunctionData({ abi: erc20Abi, functionName, args: [TO, amount] });
    const args = [[...Array(400).fill(call('transfer', 5n)), call('approve', maxUint256)]] as const;
    const data = encodeFunctionData({ abi: parseAbi(['function multicall(bytes[])']), args });
    await open(own.signs({ to: TOKEN, data, gas: 30_000_000n }));
    const inner = page.locator('.calls .calls > .call');
    await inner.nth(FIRST).waitFor({ state: 'attached' });
    assert.equal(await inner.count(), FIRST + 1);
    assert.match(await inner.last().innerText(), /^approve\(/);
    await page.getByText(`${FIRST + 1} of 401 calls are shown.`).waitFor();
    await page.getByRole('button', { name: 'Show 200 more calls' }).click();
    await inner.nth(400).waitFor({ state: 'attached' });
    assert.equal(await page.getByRole('button', { name: /more calls/ }).count(), 0);
  });

  test('a decision before many other activities is searched for on request, and the search can be stopped', async () => {
    const { approver, asker } = all;
    const { fingerprint } = await waiting(asker, ...tag('Decided early'));
    resultOf(await approver.submit('APPROVE_ACTIVITY', { fingerprint }), 'createUserTagResult');
    await Promise.all(Array.from({ length: 200 }, (_, i) => waiting(approver, ...tag(`Own ${i}`))));
    await page.goto(`${world.origin}/console/approvals?show=decided`);
    await page.getByText(/^None of your newest 150 activities is a decision/).waitFor();
    let held = 0;
    const released = Promise.withResolvers<void>();
    await page.route('**/query/list_activities', async (route) => {
      if (!('after' in (route.request().postDataJSON().paginationOptions ?? {}))) return route.continue();
      held += 1;
      await released.promise;
      return route.continue();
    });
    await page.getByRole('button', { name: 'Older ones' }).click();
    await page.getByText('Searching: 150 of your activities are read.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    released.resolve();
    await page.getByText(/^None of your newest 200 activities is a decision/).waitFor();
    assert.equal(held, 1);
    await page.getByRole('button', { name: 'Older ones' }).click();
    await page.getByRole('link', { name: /Decided early/ }).waitFor();
    await page.unrouteAll();
    await page.close();
  });
});
