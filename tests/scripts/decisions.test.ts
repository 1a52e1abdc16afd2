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

const sizeOf = (file: URL) => {
  const text = readFileSync(file, 'utf8').trimEnd();
  return { lines: text.split('\n').length, words: text.split(/\s+/).length };
};

/** One screen. These are longer, and may not grow. */
const MOST = { lines: 45, words: 700 };
const LONGER: Readonly<Record<string, { lines: number; words: number }>> = {
  '0038': { lines: 45, words: 765 },
  '0039': { lines: 45, words: 718 },
  '0040': { lines: 45, words: 775 },
  '0043': { lines: 75, words: 1141 },
  '0047': { lines: 50, words: 962 },
  '0051': { lines: 47, words: 856 },
  '0072': { lines: 45, words: 797 },
};

test('a decision is one screen', () => {
  for (const page of readdirSync(FOLDER)) {
    const [{ lines, words }, most] = [sizeOf(new URL(page, FOLDER)), LONGER[page.slice(0, 4)] ?? MOST];
    assert.ok(
      lines <= most.lines && words <= most.words,
      `${page} has ${lines} lines and ${words} words: ${JSON.stringify(most)}`,
    );
  }
});

test('README.md and AGENTS.md stay short', () => {
  const linesOf = (name: string) => sizeOf(new URL(`../../${name}`, import.meta.url)).lines;
  assert.deepEqual([linesOf('README.md') <= 250, linesOf('AGENTS.md') <= 70], [true, true]);
});
