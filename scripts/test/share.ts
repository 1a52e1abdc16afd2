/** Runs each test file that it is given as a test in this process, one after the other. A file's hooks end with it. */
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { costOf, processorSeconds } from './processor-time.ts';

const TESTS = new URL('../../tests/', import.meta.url).href;
let file = 0;

// Each file has its own copies of what tests share, which may keep an instance or a counter. The service is loaded once.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const isHelper = found.url.startsWith(TESTS) && !found.url.includes('/node_modules/');
    return isHelper ? { ...found, url: `${found.url}?${file}` } : found;
  },
});

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
