/** A frame leaves nothing in texts of a page that is closed, and nothing on the clipboard after a paste. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chromiumProgram, NO_CHROMIUM } from '../support/chromium.ts';
import { resultOf } from '../support/client.ts';
import { type Embedded, framesWorld } from '../support/frames.ts';
import { importsWallet } from './frames-custody.ts';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

describe('what a frame leaves', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const world = framesWorld({}, '127.0.0.1');
  const frameOf = ({ page }: Embedded) => page.frames().find((one) => one.url().includes('/frames/'))!;

  /** All texts of the page, as a listener reads them that runs after those of the page itself. The app is left for another page. */
  async function left(opened: Embedded): Promise<string> {
    await frameOf(opened).evaluate(() => {
      const texts = () => [document.body.innerText, ...[...document.querySelectorAll('textarea')].map(({ value }) => value)];
      localStorage.setItem('before', texts().join(' '));
      addEventListener('pagehide', () => localStorage.setItem('after', texts().join(' ')));
    });
    await opened.page.goto('about:blank');
    await opened.page.close();
    const later = await world.open('import');
    const seen = await frameOf(later).evaluate(() => {
      const both = [localStorage.getItem('before'), localStorage.getItem('after')];
      localStorage.clear();
      return both;
    });
    await later.page.close();
    assert.match(seen[0]!, /legal winner/);
    return seen[1]!;
  }

  test('words and a passphrase that were typed are gone when the page is left', async () => {
    const opened = await world.open('import');
    await opened.call('applySettings', { enablePassphrase: true });
    await opened.frame.locator('#plaintext').fill(WORDS);
    await opened.frame.locator('#passphrase').fill('correct horse');
    assert.doesNotMatch(await left(opened), /legal|horse/);
  });

  test('words that were shown are gone when the page is left', async () => {
    const { root } = world.instance;
    const { walletId } = await importsWallet(world, WORDS, 'correct horse', { enablePassphrase: true });
    const opened = await world.open('export');
    const exported = await root.submit('EXPORT_WALLET', { walletId, targetPublicKey: opened.key });
    await opened.call('injectWalletExportBundle', resultOf(exported, 'exportWalletResult').exportBundle, root.organizationId);
    assert.doesNotMatch(await left(opened), /legal|horse/);
  });

  test('the clipboard is empty after a paste', async () => {
    const { page, frame } = await world.open('import');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.app });
    const text = () => page.evaluate(() => navigator.clipboard.readText());
    await page.evaluate((words) => navigator.clipboard.writeText(words), WORDS);
    assert.equal(await text(), WORDS);
    await frame.locator('#plaintext').focus();
    await page.keyboard.press('Control+V');
    assert.equal(await frame.locator('#plaintext').inputValue(), WORDS);
    assert.equal(await text(), '');
    await page.close();
  });
});
