/** Requests of thousands of facts: what matters is drawn at once, the rest by a button. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { encodeFunctionData, erc20Abi, maxUint256, parseAbi } from 'viem';
import { grouped, type Review, reviewOf, tellingOf } from '../../../review/index.ts';
import { bodyOf, type Entry } from '../../review/corpus.ts';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { largest, permits } from '../../support/largest-body.ts';
import { looking } from './looking.ts';
import { type People, people, signer, TO, TOKEN, waiting } from './requests.ts';
import { consoleWorld } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

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
    // How many rows were drawn at once, at most.
    await page.addInitScript(() => {
      const counted = globalThis as { most?: number };
      counted.most = 0;
      new MutationObserver((changes) => {
        const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element);
        const rows = added.map((one) => one.querySelectorAll('.fact').length + Number(one.matches('.fact')));
        counted.most = Math.max(
          counted.most!,
          rows.reduce((sum, each) => sum + each, 0),
        );
      }).observe(document, { childList: true, subtree: true });
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

  test('of a mebibyte all that matters is drawn, the rest a thousand a press, and never many rows at once', async () => {
    const { facts: read, warnings: found } = await opened(largest());
    const telling = tellingOf(read);
    const shown = FIRST + read.slice(FIRST).filter((fact) => telling.has(fact)).length;
    await facts()
      .nth(shown - 1)
      .waitFor();
    assert.equal(await facts().count(), shown);
    await page.getByText(`${counted(shown)} of ${counted(read.length)} facts are shown.`).waitFor();
    // The last token of the last message is given away. Of its facts and the warning, neither is folded.
    const unlimited = read.filter(({ note }) => note === 'as good as unlimited');
    assert.equal(unlimited.length, 1);
    await page.locator('.fact.main', { hasText: unlimited[0]!.value }).waitFor();
    assert.equal(await warnings().count(), found.filter(({ level }) => level === 'red').length);
    await warnings().getByText('parameters.payloads[7]').waitFor();
    assert.equal(await page.getByText(read.at(-1)!.label, { exact: true }).count(), 0);
    assert.equal(await page.locator('.facts.every > .fact').count(), FIRST);

    await page.getByRole('button', { name: `Show ${counted(PRESS)} more facts` }).focus();
    await page.keyboard.press('Enter');
    await facts()
      .nth(shown + PRESS - 1)
      .waitFor();
    await page.waitForFunction(() => document.activeElement?.matches('.fact'));
    assert.ok((await page.locator(':focus').innerText()).startsWith(read[FIRST]!.label));
    // Both lists of a review begin at once.
    const most = await page.evaluate(() => (globalThis as { most?: number }).most!);
    assert.ok(most >= FIRST && most < 2 * FIRST + 50, `${most} rows were drawn at once`);

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
    // The service may say that the spender was approved before.
    assert.ok((await facts().count()) >= read.length);
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
    assert.match((await inner.last().textContent())!, /^approve\(/);
    await page.getByText(`${FIRST + 1} of 401 calls are shown.`).waitFor();
    await page.getByRole('button', { name: 'Show 200 more calls' }).click();
    await inner.nth(400).waitFor({ state: 'attached' });
    assert.equal(await page.getByRole('button', { name: /more calls/ }).count(), 0);
    await page.close();
  });
});
