/** Runs each test file that it is given as a test in this process, one after the other. A file's hooks end with it. */
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { costOf, processorSeconds, tellWhole } from './processor-time.ts';
import { resolveQuickly } from './resolve.ts';

const TESTS = new URL('../../tests/', import.meta.url).href;
let file = 0;
tellWhole();

// Each file has its own copies of what tests share, which may keep an instance or a counter. The service is loaded once.
resolveQuickly((url) => (url.startsWith(TESTS) && !url.includes('/node_modules/') ? `${url}?${file}` : url));

for (const path of process.argv.slice(2))
  test(path, async (t) => {
    file += 1;
    // The file's beginning is told before what it prints.
    await soon();
    const before = processorSeconds() ?? 0;
    await import(pathToFileURL(path).href);
    // After the hooks of the file.
    t.after(() => t.diagnostic(costOf(path, (processorSeconds() ?? 0) - before)));
  });
