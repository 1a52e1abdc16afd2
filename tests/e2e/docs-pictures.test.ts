/** The pictures of the documents: small, described, and all of them shown. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { documents, read } from '../support/documents.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = 'docs/pictures';

test('each picture is shown by a document, has a text in its place, and takes at most 60 kB', () => {
  const shown = documents.flatMap((name) =>
    [...read(name).matchAll(/!\[([^\]]*)\]\(([^)]*)\)/g)].map(([, words, target]) => ({
      words: words!,
      path: posix.join(posix.dirname(name), target!),
    })),
  );
  for (const { words, path } of shown) assert.ok(words.length > 20, `${path} has no description`);
  const own = new Set(shown.map(({ path }) => path).filter((path) => path.startsWith(FOLDER)));
  assert.deepEqual(
    [...own].sort(),
    readdirSync(join(ROOT, FOLDER))
      .map((name) => `${FOLDER}/${name}`)
      .sort(),
  );
  for (const path of own) assert.ok(statSync(join(ROOT, path)).size <= 60_000, path);
});
