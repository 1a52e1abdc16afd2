import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const FOLDER = new URL('../../docs/decisions/', import.meta.url);

test('each decision has a number of its own, and its heading says it', () => {
  const pages = readdirSync(FOLDER);
  const numbers = pages.map((page) => page.slice(0, 4));
  assert.deepEqual(numbers, [...new Set(numbers)]);
  for (const page of pages)
    assert.ok(readFileSync(new URL(page, FOLDER), 'utf8').startsWith(`# ${page.slice(0, 4)}: `), `the heading of ${page}`);
});
