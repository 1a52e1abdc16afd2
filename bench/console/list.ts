/** The list of activities with 10,000 rows in Chromium. Measures frames while it is scrolled, and filters. */
import type { Page } from 'playwright-core';
import { type Browser, chromiumProgram } from '../../tests/support/chromium.ts';
import { at } from '../sending/windows.ts';
import { openList, startFilled } from './page.ts';

export type ListFigures = {
  /** The median of several. */
  firstPaintMs: number;
  rows: number;
  frameP50Ms: number;
  frameP99Ms: number;
  /** The longest and the median of several filters. */
  filterMs: number;
  filterMedianMs: number;
  goals: [holds: boolean, text: string][];
  lines: string[];
};

type Options = { program: string; quick: boolean; say(text: string): void };

const ROWS = 10_000;
const FRAMES = 1200;
const A_FRAME = 480;
const MOST_FRAME_MS = 50;
const MOST_FILTER_MS = 300;
const PAINTS = 9;
const MOST_PAINT_MS = 1000;

/** Of a person who has never seen the console. */
async function firstPaint(browser: Browser, url: string): Promise<number> {
  const page = await browser.person('about:blank');
  await page.goto(url);
  const paint = await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  const ms = await paint.jsonValue();
  await page.close();
  return ms!;
}

/** Reads page after page, as a person does who scrolls to the end. */
async function readAll(page: Page, rows: number): Promise<void> {
  for (let known = 0; known < rows; ) {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    known = await page
      .waitForFunction((before) => {
        const count = Number(document.querySelector('table.activities')?.getAttribute('aria-rowcount') ?? 1) - 1;
        return count > before && count;
      }, known)
      .then((handle) => handle.jsonValue() as Promise<number>);
  }
}

/** Scrolls up and down again, and gives the times between frames. */
const frames = (page: Page, count: number): Promise<number[]> =>
  page.evaluate(
    async ({ count, step }) => {
      const next = () => new Promise<number>(requestAnimationFrame);
      const times: number[] = [];
      let down = false;
      let last = await next();
      for (let i = 0; i < count; i++) {
        const end = document.documentElement.scrollHeight - innerHeight;
        if (scrollY <= 0) down = true;
        if (scrollY >= end) down = false;
        scrollBy(0, down ? step : -step);
        const now = await next();
        times.push(now - last);
        last = now;
      }
      return times;
    },
    { count, step: A_FRAME },
  );

/** From the choice of a status until all rows have it, or the page says that none does. */
const filtered = (page: Page, status: string, words: string): Promise<number> =>
  page.evaluate(
    async ({ status, words }) => {
      const field = document.querySelector<HTMLSelectElement>('search select')!;
      const began = performance.now();
      Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')!.set!.call(field, status);
      field.dispatchEvent(new Event('change', { bubbles: true }));
      for (;;) {
        await new Promise(requestAnimationFrame);
        const shown = [...document.querySelectorAll('table.activities .status')].map(({ textContent }) => textContent);
        if (document.querySelector('.empty') !== null) break;
        if (shown.length > 0 && (words === '' || shown.every((text) => text === words))) break;
      }
      return performance.now() - began;
    },
    { status, words },
  );

/** By turns without and with rows: what was shown before is never the answer. */
const STATUSES = [
  ['FAILED', 'failed'],
  ['COMPLETED', 'completed'],
  ['REJECTED', 'rejected'],
  ['', ''],
  ['CONSENSUS_NEEDED', 'waits for approval'],
] as const;

export async function measureList({ program, quick, say }: Options): Promise<ListFigures | undefined> {
  if (chromiumProgram() === undefined) return undefined;
  const rows = quick ? ROWS / 10 : ROWS;
  const servers = await startFilled(program, rows, say);
  try {
    const { browser, page } = await openList(servers);
    try {
      const paints: number[] = [];
      while (paints.length < PAINTS) paints.push(await firstPaint(browser, new URL('/console/', page.url()).href));
      const firstPaintMs = at(paints, 0.5);
      await readAll(page, rows);
      say(`the page has ${rows} rows`);
      const times = await frames(page, FRAMES);
      const filters: number[] = [];
      for (const [status, words] of STATUSES) filters.push(await filtered(page, status, words));
      const [frameP50Ms, frameP99Ms] = [at(times, 0.5), at(times, 0.99)];
      const [filterMs, filterMedianMs] = [Math.max(...filters), at(filters, 0.5)];
      return {
        ...{ firstPaintMs, rows, frameP50Ms, frameP99Ms, filterMs, filterMedianMs },
        goals: [
          [firstPaintMs <= MOST_PAINT_MS, `the first page shows in ${MOST_PAINT_MS} ms`],
          [frameP99Ms <= MOST_FRAME_MS, `frames over ${rows} rows: p99 at most ${MOST_FRAME_MS} ms`],
          [filterMs <= MOST_FILTER_MS, `a filter shows its rows in ${MOST_FILTER_MS} ms`],
        ],
        lines: [
          `The first page in Chromium shows after ${firstPaintMs.toFixed(0)} ms, the median of ${PAINTS}`,
          `The list of activities in Chromium, ${rows} rows, ${FRAMES} frames`,
          `frames p50 ${frameP50Ms.toFixed(1)} ms, p99 ${frameP99Ms.toFixed(1)} ms; a filter ${filterMedianMs.toFixed(0)} ms, at most ${filterMs.toFixed(0)} ms`,
        ],
      };
    } finally {
      await browser.close();
    }
  } finally {
    await servers.stop();
  }
}
