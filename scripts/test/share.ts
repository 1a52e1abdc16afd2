/** Runs each test file that it is given as a test in this process, one after the other. A file's hooks end with it. */
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';

for (const file of process.argv.slice(2))
  test(file, async () => {
    // The file's beginning is told before what it prints.
    await soon();
    await import(file);
  });
