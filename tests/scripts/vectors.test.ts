import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const VECTORS = resolve(import.meta.dirname, '../vectors');

for (const name of readdirSync(VECTORS)) {
  test(`the vectors of ${name} say where they are from`, () => {
    const files = readdirSync(join(VECTORS, name));
    const source = readFileSync(join(VECTORS, name, 'SOURCE.md'), 'utf8');
    for (const file of files.filter((file) => file !== 'SOURCE.md'))
      assert.ok(
        source.includes(`\`${file.replace(/^.*_test\.json$/, '*_test.json')}\``),
        `${name}/SOURCE.md says nothing of ${file}`,
      );
  });
}
