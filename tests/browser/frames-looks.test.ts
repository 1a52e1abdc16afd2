/** Accessibility of the pages, with axe. With PICTURES, pictures of them are kept in that folder. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromiumProgram, NO_CHROMIUM } from '../support/chromium.ts';
import { resultOf } from '../support/client.ts';
import { type Embedded, type FramePage, framesWorld } from '../support/frames.ts';
import { importsWallet } from './frames-custody.ts';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

describe('looks of the frames', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const world = framesWorld({ FRAMES: 'export,import,auth,sign' });

  async function looks(name: string, { page }: Pick<Embedded, 'page'>): Promise<void> {
    const frame = page.frames().find((one) => one.url().includes('/frames/'))!;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await frame.evaluate(AXE);
      const serious = await frame.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
        const { violations } = await axe.run(document);
        return violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, help }) => `${id}: ${help}`);
      });
      assert.deepEqual(serious, [], `${name} in ${colorScheme}`);
      if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${name}-${colorScheme}.png`) });
    }
    await page.close();
  }

  async function narrow(name: FramePage): Promise<Embedded> {
    const opened = await world.open(name);
    await opened.page.setViewportSize({ width: 320, height: 260 });
    return opened;
  }

  test('an export of a wallet has nothing serious, and fits a narrow page', async () => {
    const { root } = world.instance;
    const { walletId } = await importsWallet(world, WORDS, 'correct horse', { enablePassphrase: true });
    const opened = await narrow('export');
    const exported = await root.submit('EXPORT_WALLET', { walletId, targetPublicKey: opened.key });
    const { exportBundle } = resultOf(exported, 'exportWalletResult');
    await opened.call('injectWalletExportBundle', exportBundle, root.organizationId);
    await opened.frame.getByRole('textbox', { name: 'Recovery phrase' }).focus();
    const fits = await opened.frame.locator('html').evaluate((html) => html.scrollWidth <= html.clientWidth);
    assert.ok(fits);
    await looks('export', opened);
  });

  test('an import has nothing serious, and a keyboard is enough', async () => {
    await looks('import-empty', await narrow('import'));
    const opened = await narrow('import');
    await opened.call('applySettings', { enablePassphrase: true });
    const { frame } = opened;
    await opened.page.keyboard.press('Tab');
    await frame.locator('#plaintext:focus').waitFor();
    await opened.page.keyboard.type('legal winner thank');
    await opened.page.keyboard.press('Tab');
    await frame.locator('#passphrase:focus').waitFor();
    await opened.page.keyboard.type('correct horse');
    assert.equal(await frame.getByRole('textbox', { name: 'Recovery phrase' }).inputValue(), 'legal winner thank');
    assert.equal(await frame.getByRole('textbox', { name: 'Passphrase' }).inputValue(), 'correct horse');
    // An app sets text and background, so that only the text's own colour is sure to be seen.
    const [outline, text] = await frame.locator('#passphrase').evaluate((area) => {
      const { outlineColor, color } = getComputedStyle(area);
      return [outlineColor, color];
    });
    assert.equal(outline, text);
    for (const area of await frame.locator('textarea').all())
      for (const [name, value] of [
        ['autocomplete', 'off'],
        ['spellcheck', 'false'],
        ['autocapitalize', 'none'],
      ] as const)
        assert.equal(await area.getAttribute(name), value);
    await looks('import', opened);
  });

  test('pages without text, and a page that is opened alone, have nothing serious', async () => {
    for (const name of ['auth', 'sign'] as const) await looks(name, await narrow(name));
    const page = await world.browser.page(`${world.instance.url}/frames/export`);
    await page.setViewportSize({ width: 320, height: 260 });
    await looks('alone', { page });
  });
});
