/** Accessibility and width of a page as it is, in light and dark. With PICTURES, pictures are kept in that folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { isRelease } from '../../support/full.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const WIDTHS = [1280, 390, 320];
const AXE_IN: Record<number, 'light' | 'dark'> = { 1280: 'light', 390: 'dark' };
const { PICTURES } = process.env;

type Looking = {
  /** What was found. */
  against: string[];
  looks(page: Page, name: string): Promise<void>;
};

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

export function looking(): Looking {
  const against: string[] = [];
  const looks: Looking['looks'] = async (page, name) => {
    // A page that was loaded anew has none.
    await page.evaluate(AXE);
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
  };
  return { against, looks };
}
