/** The build of the console: the bytes, what they weigh, and what a policy must name. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { ROOT } from '../../scripts/bundle-place.ts';
import { buildConsole } from '../../scripts/console/build.ts';
import { styleHashes } from '../../scripts/console/style.ts';
import { type BuiltConsole, consoleIn } from '../../src/app/console/built.ts';
import { buildConsoleOnce, noConsole } from '../support/console.ts';
import { isFull } from '../support/full.ts';

const FIRST_KB = 200;
const LATER_KB = 150;
const PACKAGES_MB = 150;

let built: BuiltConsole;
before(async () => {
  await buildConsoleOnce();
  if (noConsole === false) built = consoleIn(ROOT)!;
});

const bytes = (text: string) => Buffer.from(text, 'base64');

test('the first page and each other page keep to their budgets', { skip: noConsole }, (t) => {
  const kilo = (paths: readonly string[]) =>
    paths.reduce((sum, path) => sum + bytes(built.files[path]!.gzip ?? built.files[path]!.plain).length, 0) / 1000;
  const { first, later } = built.loads;
  const weighed = kilo(['index.html', ...first]);
  t.diagnostic(`the first page has ${weighed.toFixed(1)} kB`);
  assert.ok(weighed <= FIRST_KB, `${weighed} kB`);
  for (const [name, paths] of Object.entries(later)) {
    t.diagnostic(`${name} has ${kilo(paths).toFixed(1)} kB more`);
    assert.ok(kilo(paths) <= LATER_KB, `${name}: ${kilo(paths)} kB`);
  }
});

test('the packages of the console keep to their budget on the disk', { skip: noConsole }, (t) => {
  const files = readdirSync(join(ROOT, 'console/node_modules'), { recursive: true, withFileTypes: true });
  const blocks = files.reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).blocks, 0);
  const weighed = (blocks * 512) / 1_000_000;
  t.diagnostic(`the packages have ${weighed.toFixed(1)} MB`);
  assert.ok(weighed > 1 && weighed <= PACKAGES_MB, `${weighed} MB`);
});

test('sums and notices are of all that is served, and nothing names a source map or another host', { skip: noConsole }, () => {
  const text = (name: string) => bytes(built.files[name]!.plain).toString('utf8');
  const sums = text('sha256sums.txt')
    .trim()
    .split('\n')
    .map((line) => line.split('  ') as [string, string]);
  assert.deepEqual(
    sums.map(([, name]) => name),
    Object.keys(built.files)
      .filter((name) => name !== 'sha256sums.txt')
      .sort(),
  );
  for (const [sum, name] of sums)
    assert.equal(createHash('sha256').update(bytes(built.files[name]!.plain)).digest('hex'), sum, name);
  for (const name of ['react', 'react-dom', 'scheduler'])
    assert.match(text('notices.txt'), new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'));
  for (const name of Object.keys(built.files)) assert.doesNotMatch(text(name), /sourceMappingURL/, name);
  const page = text('index.html');
  assert.doesNotMatch(page, /\bhttps?:|<style|<script(?! type="module" src="\/console\/assets\/)/);
  for (const [, path] of page.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)) assert.ok(built.files[path!], path);
});

test('the style elements of the components are those that were looked at', { skip: noConsole }, () => {
  const at = (path: string) => `console/node_modules/react-aria/dist/private/${path}.mjs`;
  const hashed = (text: string) => [`'sha256-${createHash('sha256').update(text).digest('base64')}'`];
  const press = '@layer {\n  [data-react-aria-pressable] {\n    touch-action: pan-x pan-y pinch-zoom;\n  }\n}';
  const scroll = '@layer {\n  * {\n    overscroll-behavior: contain;\n  }\n}';
  assert.deepEqual(styleHashes(ROOT, [at('interactions/usePress')]), hashed(press));
  assert.deepEqual(styleHashes(ROOT, [at('overlays/usePreventScroll')]), hashed(scroll));
});

test('equal sources give equal bytes', { skip: noConsole || (!isFull && 'it builds twice, which --full does') }, async () => {
  const once = () => buildConsole(ROOT, (path) => readFileSync(join(ROOT, path)));
  assert.deepEqual(await once(), built);
});
