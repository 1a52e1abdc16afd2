import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { readLines } from '../../../src/runner/sandbox/output.ts';

it('a flood of empty lines is read slowly', async () => {
  const flood = new Readable({ read: () => flood.push(Buffer.alloc(4096, 10)) });
  let lines = 0;
  readLines(flood, 'stdout', () => {
    lines += 1;
  });
  const begin = performance.now();
  while (performance.now() - begin < 600) await setTimeout(50);
  const intervals = (performance.now() - begin) / 250 + 2;
  flood.destroy();
  assert.ok(lines > 0 && lines < intervals * 2048 + 4096, `${lines} lines in ${intervals} intervals`);
});
