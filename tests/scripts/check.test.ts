// biome-ignore-all lint/suspicious/noTemplateCurlyInString: made-up sources are strings that hold templates
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { checkArchitecture } from '../../scripts/check/architecture.ts';
import { importsOf, mask } from '../../scripts/check/source.ts';

const made: string[] = [];
after(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** Checks a tree of these files; each failure as `rule file`. */
function failures(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'countersign-check-'));
  made.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkArchitecture(root).failures.map(({ rule, file }) => `${rule} ${file}`);
}

const EMPTY = 'export {};\n';

test('a tree that keeps the rules has no findings', () => {
  const found = failures({
    'src/main.ts': "import { run } from './engine/run.ts';\nimport pg from 'pg';\nrun(pg);\n",
    'src/engine/run.ts':
      "import type { Store } from '../store/types.ts';\nimport { now } from '../base/clock.ts';\nexport const run = (s: Store) => now(s);\n",
    'src/store/types.ts': 'export interface Store { get(): void }\n',
    'src/base/clock.ts': "import 'node:fs';\nexport const now = () => Date.now();\n",
    'src/activities/index.ts': "import { users } from './users/index.ts';\nexport const activities = [users];\n",
    'src/activities/users/index.ts': "import { a } from './a.ts';\nexport const users = [a];\n",
    'src/activities/users/a.ts':
      "import { s } from '../../domain/s.ts';\nimport { old } from './a.history.ts';\nexport const a = [s, old];\n",
    'src/activities/users/a.history.ts': 'export const old = 1;\n',
    'src/domain/s.ts': 'export const s = 1;\n',
    'tests/activities/users/a.test.ts': EMPTY,
  });
  assert.deepEqual(found, []);
});

const one: [name: string, expected: string, files: Record<string, string>][] = [
  [
    'an arrow that points up',
    'arrows src/model/a.ts',
    { 'src/model/a.ts': "import { b } from '../engine/b.ts';\n", 'src/engine/b.ts': EMPTY },
  ],
  [
    'a type-only import that points up',
    'arrows src/model/a.ts',
    { 'src/model/a.ts': "import type { B } from '../engine/b.ts';\n" },
  ],
  [
    'a program that reaches what it must not, through another file',
    'reach src/runner.ts',
    {
      'src/runner.ts': "import { a } from './serve.ts';\nimport type { S } from './store/s.ts';\n",
      'src/serve.ts': "import { s } from './store/s.ts';\n",
      'src/store/s.ts': EMPTY,
    },
  ],
  ['a module of Node.js in a page', 'pages frames/a.ts', { 'frames/a.ts': "import 'node:fs';\n" }],
  ['Buffer in a page', 'pages frames/a.ts', { 'frames/a.ts': 'export const a = Buffer.from([]);\n' }],
  [
    'code of the service in a page',
    'pages frames/a.ts',
    { 'frames/a.ts': "import { b } from '../src/store/b.ts';\n", 'src/store/b.ts': 'export const b = 1;\n' },
  ],
  [
    'a multi-line import that points up',
    'arrows src/model/a.ts',
    { 'src/model/a.ts': "import {\n  b,\n  c,\n} from '../engine/b.ts';\n" },
  ],
  ['a re-export that points up', 'arrows src/model/a.ts', { 'src/model/a.ts': "export * from '../engine/b.ts';\n" }],
  ['a dynamic import that points up', 'arrows src/model/a.ts', { 'src/model/a.ts': "await import('../engine/b.ts');\n" }],
  [
    'the engine and the inside of the store',
    'arrows src/engine/a.ts',
    { 'src/engine/a.ts': "import type { B } from '../store/schema.ts';\n" },
  ],
  [
    'a value where only types may come',
    'arrows src/login/a.ts',
    { 'src/login/a.ts': "import { b } from '../store/types.ts';\n" },
  ],
  [
    'the composition root from below',
    'arrows src/http/a.ts',
    { 'src/http/a.ts': "import { compose } from '../app/compose.ts';\n" },
  ],
  ['something outside src', 'arrows src/app.ts', { 'src/app.ts': "import '../tests/support/a.ts';\n" }],
  ['a folder without arrows', 'arrows src/misc/a.ts', { 'src/misc/a.ts': EMPTY }],
  ['a package in policy', 'packages src/policy/a.ts', { 'src/policy/a.ts': "import { readFileSync } from 'node:fs';\n" }],
  ['Node.js in chains', 'packages src/chains/a.ts', { 'src/chains/a.ts': "import { isUtf8 } from 'node:buffer';\n" }],
  ['a package in base', 'packages src/base/a.ts', { 'src/base/a.ts': "import { z } from 'zod';\n" }],
  [
    'a cycle of value imports',
    'cycle src/model/a.ts',
    {
      'src/model/a.ts': "import { b } from './b.ts';\n",
      'src/model/b.ts': "import { c } from './c.ts';\n",
      'src/model/c.ts': "export { a } from './a.ts';\n",
    },
  ],
  [
    'a cycle in the benchmark',
    'cycle bench/a.ts',
    { 'bench/a.ts': "import { b } from './b.ts';\n", 'bench/b.ts': "import { a } from './a.ts';\n" },
  ],
  [
    'an inner folder that imports one above it',
    'floors src/engine/decision/a.ts',
    { 'src/engine/decision/a.ts': "import type { B } from '../submit/b.ts';\n" },
  ],
  [
    'a file below all inner folders that imports one of them',
    'floors src/engine/a.ts',
    { 'src/engine/a.ts': "import { b } from './request/b.ts';\n" },
  ],
  ['an inner folder without its place', 'floors src/engine/misc/a.ts', { 'src/engine/misc/a.ts': EMPTY }],
  [
    'an activity that imports another',
    'activities src/activities/users/a.ts',
    {
      'src/activities/index.ts': "import './users/index.ts';\n",
      'src/activities/users/index.ts': "import './a.ts';\nimport './b.ts';\n",
      'src/activities/users/a.ts': "import { b } from './b.ts';\n",
      'src/activities/users/b.ts': EMPTY,
      'tests/activities/users/a.test.ts': EMPTY,
      'tests/activities/users/b.test.ts': EMPTY,
    },
  ],
  ['Date.now', 'banned src/model/a.ts', { 'src/model/a.ts': 'export const a = Date.now();\n' }],
  ['new Date()', 'banned src/model/a.ts', { 'src/model/a.ts': 'export const a = new Date();\n' }],
  ['Buffer in chains', 'banned src/chains/a.ts', { 'src/chains/a.ts': 'export const a = Buffer.of(1);\n' }],
  ['Math.random', 'banned src/base/random.ts', { 'src/base/random.ts': 'export const a = Math.random();\n' }],
  ['performance.now', 'banned src/model/a.ts', { 'src/model/a.ts': 'export const a = performance.now();\n' }],
  ['randomBytes', 'banned src/custody/a.ts', { 'src/custody/a.ts': "import { randomBytes } from 'node:crypto';\n" }],
  ['a new key pair', 'banned src/crypto/a.ts', { 'src/crypto/a.ts': "export const a = generateKeyPairSync('ed25519');\n" }],
  ['randomUUID', 'banned src/engine/a.ts', { 'src/engine/a.ts': 'export const a = crypto.randomUUID();\n' }],
  ['fetch', 'banned src/engine/a.ts', { 'src/engine/a.ts': "export const a = () => fetch('http://a');\n" }],
  ['process.env', 'banned src/main.ts', { 'src/main.ts': 'export const a = process.env;\n' }],
  [
    'a private key',
    'banned src/domain/a.ts',
    { 'src/domain/a.ts': 'export const a = (key: Uint8Array) => signEd25519(key, key);\n' },
  ],
  ['a plaintext key', 'banned src/domain/a.ts', { 'src/domain/a.ts': 'export type A = { key: PlainKey };\n' }],
  [
    'the bytes of a plaintext key in a new file of custody',
    'banned src/custody/a.ts',
    { 'src/custody/a.ts': 'export const a = (key: PlainKey) => bytesOfKey(key);\n' },
  ],
  ['an envelope', 'banned src/domain/a.ts', { 'src/domain/a.ts': 'export const a = (by: Envelope) => by.open;\n' }],
  ['console', 'banned src/main.ts', { 'src/main.ts': "console.log('a');\n" }],
  ['console inside a template', 'banned src/main.ts', { 'src/main.ts': 'export const a = `a ${console.log(1)}`;\n' }],
  ['a file that is too long', 'lines tests/a.test.ts', { 'tests/a.test.ts': '\n'.repeat(501) }],
  ['a file of the console that is too long', 'lines console/src/a.tsx', { 'console/src/a.tsx': '\n'.repeat(501) }],
  ['a test without its operation', 'orphan tests/queries/users/a.test.ts', { 'tests/queries/users/a.test.ts': EMPTY }],
  ['a name that says nothing', 'names src/model/kept.ts', { 'src/model/kept.ts': EMPTY }],
  ['such a name in the console', 'names console/src/a/gate.tsx', { 'console/src/a/gate.tsx': EMPTY }],
  ['a name that is not kebab-case', 'names src/model/userModel.ts', { 'src/model/userModel.ts': EMPTY }],
  [
    'an operation that is not listed',
    'listed src/queries/users/a.ts',
    { 'src/queries/index.ts': EMPTY, 'src/queries/users/a.ts': EMPTY, 'tests/queries/users/a.test.ts': EMPTY },
  ],
];
for (const [name, expected, files] of one) test(`finds ${name}`, () => assert.deepEqual(failures(files), [expected]));

const operation = {
  'src/queries/index.ts': "import './users/index.ts';\n",
  'src/queries/users/index.ts': "import './a.ts';\n",
  'src/queries/users/a.ts': EMPTY,
};

test('an operation has a test of its own', () => {
  assert.deepEqual(failures(operation), ['tested src/queries/users/a.ts']);
  assert.deepEqual(failures({ ...operation, 'tests/queries/users/a.test.ts': EMPTY }), []);
});

test('comments, strings, dates with an argument, vectors and generated files are left alone', () => {
  const found = failures({
    'src/model/a.ts': [
      '// Date.now() and import { b } from "../engine/b.ts"',
      '/* console.log(process.env) */',
      "export const a = ['Date.now()', `fetch(1) ${new Date(0)} Math.random()`, /console.log/.test('x'), 4 / 2 / 1];",
    ].join('\n'),
    'tests/vectors/Big_One.ts': '\n'.repeat(900),
    'src/model/table.ts': `// Generated from the list of chains.\n${'\n'.repeat(900)}`,
  });
  assert.deepEqual(found, []);
});

test('files are small on the whole: half of them, and nine of ten', () => {
  const tree = (...lengths: number[]) =>
    failures(Object.fromEntries(lengths.map((lines, i) => [`src/base/f${i}.ts`, '\n'.repeat(lines)])));
  assert.deepEqual(tree(60, 60, 200, 200), []);
  assert.deepEqual(tree(60, 61, 61), ['spread src']);
  assert.deepEqual(tree(1, 1, 201), ['spread src']);
});

test('a cycle of types is one too', () => {
  const found = failures({
    'src/model/a.ts': "import type { B } from './b.ts';\nexport type A = B;\n",
    'src/model/b.ts': "import { a } from './a.ts';\nexport type B = typeof a;\n",
  });
  assert.deepEqual(found, ['cycle src/model/a.ts']);
});

test('a long file is a warning before it is a failure', () => {
  const root = mkdtempSync(join(tmpdir(), 'countersign-check-'));
  made.push(root);
  mkdirSync(join(root, 'scripts'));
  writeFileSync(join(root, 'scripts/a.ts'), '\n'.repeat(251));
  const { failures: failed, warnings } = checkArchitecture(root);
  assert.deepEqual([failed.length, warnings.map(({ file }) => file)], [0, ['scripts/a.ts']]);
});

test('imports are told apart', () => {
  const text = [
    "import type A from 'a';",
    "import type { B } from 'b';",
    "import { type C } from 'c';",
    "import type, { D } from 'd';",
    "import 'e';",
    "export type { F } from 'f';",
    "let g: import('g').G = await import('h');",
  ].join('\n');
  const found = importsOf(text).map(({ specifier, typeOnly, line }) => `${specifier}${typeOnly ? ' type' : ''} ${line}`);
  assert.deepEqual(found, ['a type 1', 'b type 2', 'c 3', 'd 4', 'e 5', 'f type 6', 'g type 7', 'h 7']);
});

test('masking keeps every offset', () => {
  const text = "a /* b */ 'c' `d ${{ e: `f ${'g'}` }.e} h` / i / j; // k\nl(/[/'\"]/);\n";
  const code = mask(text);
  assert.equal(code.length, text.length);
  assert.equal(code.replace(/\s+/g, ' '), "a ' ' ` ${{ e: ` ${' '}` }.e} ` / i / j; l( ); ");
});
