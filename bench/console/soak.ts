/**
 * `npm run console:soak`: does a console that is left open keep its memory? The list of activities is open in Chromium, while 100
 * activities a second are made. Exits 1 if the memory of the page has grown,
 * or more than a tenth of the activities was refused.
 *
 *   --seconds  300 unless given
 *   --rate     activities a second, 100 unless given
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromiumProgram, NO_CHROMIUM } from '../../tests/support/chromium.ts';
import { median } from '../sending/windows.ts';
import { startService } from '../servers.ts';
import type { Servers } from '../types.ts';
import { openList } from './page.ts';
import { type Made, producer } from './steady.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '300' }, rate: { type: 'string', default: '100' } },
});

const SAMPLE_MS = 10_000;
/** Code that is compiled, and caches that are filled. */
const MOST_GROWTH = 1.1;
const MOST_GROWTH_MB = 3;

/** Of all activities, this part may be refused: the machine is busy. */
const MOST_REFUSED = 0.1;

type Sample = { megabytes: number; nodes: number };

async function soak(servers: Servers, say: (text: string) => void): Promise<Made & { samples: Sample[] }> {
  const { browser, page } = await openList(servers);
  try {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const samples: Sample[] = [];
    const making = producer(servers, Number(values.rate));
    const until = performance.now() + Number(values.seconds) * 1000;
    while (performance.now() < until) {
      await sleep(SAMPLE_MS);
      // As a person does who follows what is new.
      const fresh = page.getByRole('button', { name: /new$|new ▸$/ });
      if ((await fresh.count()) > 0) await fresh.click();
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      const metric = (name: string) => metrics.find((one) => one.name === name)!.value;
      const sample = { megabytes: metric('JSHeapUsedSize') / 1_048_576, nodes: metric('Nodes') };
      samples.push(sample);
      say(`${samples.length * (SAMPLE_MS / 1000)} s: ${sample.megabytes.toFixed(1)} MB, ${sample.nodes} nodes`);
    }
    return { samples, ...(await making.end()) };
  } finally {
    await browser.close();
  }
}

async function main(): Promise<number> {
  if (chromiumProgram() === undefined) throw new Error(NO_CHROMIUM);
  const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const servers = await startService({ processes: 1, databaseUrl: undefined }, program);
  try {
    const { samples, made, refused } = await soak(servers, (text) => process.stderr.write(`${text}\n`));
    const third = Math.max(1, Math.floor(samples.length / 3));
    const of = (some: readonly Sample[], what: keyof Sample) => median(some.map((one) => one[what]));
    const [first, last] = [samples.slice(0, third), samples.slice(-third)];
    const [from, to] = [of(first, 'megabytes'), of(last, 'megabytes')];
    const flat = to <= Math.max(from * MOST_GROWTH, from + MOST_GROWTH_MB) && of(last, 'nodes') <= of(first, 'nodes') * 2;
    const isFed = refused <= MOST_REFUSED * (made + refused);
    process.stdout.write(
      `${flat && isFed ? 'ok  ' : 'FAIL'} ${made} activities, ${refused} refused, in ${values.seconds} s: the first third ${from.toFixed(1)} MB and ${of(first, 'nodes')} nodes, the last ${to.toFixed(1)} MB and ${of(last, 'nodes')} nodes\n`,
    );
    return flat && isFed ? 0 : 1;
  } finally {
    await servers.stop();
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    process.stderr.write(`npm run console:soak: ${error.message}\n`);
    process.exitCode = 2;
  },
);
