import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { summaryOf } from './transfers-making.ts';
import { rows } from './transfers-rows.ts';

test('each row of the table reads as the documents say', () => {
  const seen = Object.values(rows)
    .flat()
    .flatMap(([name, asset, summary, ...readings]) =>
      readings.map((reading, i) => [`${name}, example ${i}`, summary, summaryOf(reading, asset)] as const),
    );
  const wrong = seen.filter(([, expected, found]) => expected !== found);
  assert.deepEqual(wrong, []);
  assert.ok(seen.length > 120, String(seen.length));
});

test('the tables in docs/spending.md are these rows', () => {
  const text = readFileSync(new URL('../../docs/spending.md', import.meta.url), 'utf8');
  for (const [heading, list] of Object.entries(rows)) {
    const part = text.split(`### ${heading}\n`)[1]!.split('\n#')[0]!;
    const cells = [...part.matchAll(/^\| (.+) \| (.+) \|$/gm)].map(([, name, summary]) => [name, summary]).slice(1);
    assert.deepEqual(
      cells,
      list.map(([name, , summary]) => [name, summary]),
      heading,
    );
  }
});
