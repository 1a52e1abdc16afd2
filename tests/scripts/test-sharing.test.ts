import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Imports } from '../../scripts/test/imports.ts';
import { byProcess, reasonsAlone } from '../../scripts/test/sharing.ts';
import { FIRST, ROOT, runner } from './runner.ts';

/** Ends the process in a way that the rule does not see. */
const EXIT = "process['exit'](3)";
const CLOSES =
  "import { after } from 'node:test'; after(() => writeFileSync(join(process.env.MARKS, 'closed'), `${process.pid}`));";
const SEES = `import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
const seen = readFileSync(join(process.env.MARKS, 'closed'), 'utf8') === String(process.pid);`;

test('files share a process, in which each ends with its hooks before the next begins', () => {
  const { code, text } = runner({
    one: `${CLOSES} test('a', async (t) => { await t.test('b', () => {}); });`,
    two: `${SEES} test('c', () => assert.ok(seen));`,
  });
  assert.equal(code, 0, text);
  assert.match(text, /^2 test files on sqlite, in 1 process,/m);
  assert.match(text, /^ok {3}tests\/a\/one\.test\.ts \(2 tests, \d+ ms\)$/m);
  assert.match(text, /^ok {3}tests\/a\/two\.test\.ts \(1 tests, \d+ ms\)$/m);
  assert.match(text, /\n3 passed, 0 failed\n$/);
});

test('a helper keeps nothing for the next file', () => {
  const counts = (name: string) =>
    `import assert from 'node:assert/strict'; import { next } from './kept.ts'; test('${name}', () => assert.equal(next(), 1));`;
  const { code, text } = runner({
    'kept.ts': 'let n = 0; export const next = () => (n += 1);',
    one: counts('a'),
    two: counts('b'),
  });
  assert.equal(code, 0, text);
  assert.match(text, /in 1 process,/);
});

test('a file whose text shows that it needs a process of its own has one, as does one that says why', (t) => {
  const own = "test('a', () => writeFileSync(join(process.env.MARKS, `${process.pid}`), '', { flag: 'wx' }));";
  const folder = mkdtempSync(join(tmpdir(), 'countersign-costs-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const costs = join(folder, 'costs');
  const burns = "test('b', () => { while (process.cpuUsage().user < 2_000_000); });";
  const files = { one: own, two: `process.once('SIGUSR2', () => {}); ${own}`, up: `// alone: it says so\n${own} ${burns}` };
  const { text } = runner(files, '--costs', costs);
  assert.match(text, /in 3 processes/);
  assert.match(text, /\n4 passed, 0 failed\n$/);
  // Each is counted with its own processor time, whichever of them ends first.
  assert.match(
    readFileSync(costs, 'utf8'),
    /^[2-9]\.\d\d tests\/a\/up\.test\.ts\n(?:\d\.\d\d set-up\n)?0\.[1-9]\d tests\/a\/(?:one|two)\.test\.ts\n/,
  );
});

test('the report names the file that failed in a shared process: in loading, in a hook, after its end, or without tests', () => {
  const { text } = runner({
    empty: '',
    good: "test('a', () => console.log('said by good'));",
    hook: "import { after } from 'node:test'; after(() => { throw new Error('not closed'); }); test('b', () => {});",
    late: "test('c', () => void setTimeout(() => { throw new Error('too late'); }, 1));",
    loading: "console.log('said by loading'); test('d', () => {}); throw new Error('does not load');",
    skipped: "import { describe } from 'node:test'; describe('f', { skip: 'not here' }, () => void test('g', () => {}));",
    slow: "test('e', () => new Promise((resolve) => setTimeout(resolve, 500)));",
  });
  assert.match(text, /in 1 process,/);
  for (const name of ['good', 'skipped', 'slow']) assert.match(text, new RegExp(`^ok {3}tests/a/${name}\\.test\\.ts`, 'm'));
  assert.match(text, /^FAIL tests\/a\/empty\.test\.ts \(0 tests, \d+ ms\)\n +✗ the file has no tests$/m);
  assert.match(text, /^FAIL tests\/a\/hook\.test\.ts.+\n +✗ the file\n +Error: not closed$/m);
  assert.match(
    text,
    /^FAIL tests\/a\/loading\.test\.ts.+\n +✗ the file\n +Error: does not load\n(.*\n)*? +output:\n +said by loading$/m,
  );
  assert.match(text, /^FAIL tests\/a\/late\.test\.ts, after its tests\n +✗ the file\n.+too late/m);
  assert.doesNotMatch(text, /said by good/);
  assert.match(text, /\n5 passed, 4 failed, 1 skipped\n$/);
});

test('a file that ends its shared process fails, and the other files still run', () => {
  const { code, text } = runner({
    a: "test('a', () => {});",
    b: `test('b', () => ${EXIT});`,
    c: "test('c', () => {});",
  });
  assert.equal(code, 1, text);
  assert.match(text, /^FAIL tests\/a\/b\.test\.ts$/m);
  for (const name of ['a', 'c']) assert.match(text, new RegExp(`^ok {3}tests/a/${name}\\.test\\.ts`, 'm'));
  assert.match(text, /\n2 passed, 1 failed\n$/);
});

test('a shared process that ended early is a failure, even if every file passes alone', () => {
  const { code, text } = runner({
    a: `${FIRST} test('a', () => { if (first('a')) ${EXIT}; });`,
    b: "test('b', () => {});",
  });
  assert.equal(code, 1, text);
  assert.match(text, /^FAIL tests\/a\/a\.test\.ts, after its tests\n +✗ it, or a file before it, ended their shared process/m);
  assert.match(text, /\n2 passed, 1 failed\n$/);
});

test('tests of the service share a process; those that change it, or measure, do not', () => {
  const alone = reasonsAlone(new Imports(ROOT));
  const together = ['activities/tags/create-user-tag', 'queries/users/get-user', 'policy/language'];
  // Programs, services and browsers end with the file that started them.
  for (const file of [...together, 'chain-io/nodes/evm/node', 'cli/why', 'e2e/processes', 'browser/passkeys'])
    assert.equal(alone(`tests/${file}.test.ts`), undefined, file);
  const reasons = {
    'store/cache': 'what is global',
    'browser/site': 'the process, by scripts/site.ts',
    'engine/decision/mfa': 'tests after a wait',
    'engine/submit/parent-votes': 'it changes for good who may submit an activity, by tests/engine/submit/parent-world.ts',
    'custody/vault': 'what Node.js itself exports',
    'chain-io/sends/crash/environment': 'the environment',
    'engine/request/known-facts': 'a measurement',
  };
  for (const [file, reason] of Object.entries(reasons)) assert.equal(alone(`tests/${file}.test.ts`), reason);
});

test('sixty files at most share a process, evenly, or fifteen that start services', () => {
  const text = (file: string) => (/f1\d\d\./.test(file) ? "from 'node:child_process'" : '');
  const imports = { text, all: (file: string) => new Set([file]) } as unknown as Imports;
  const files = Array.from({ length: 124 }, (_, i) => `tests/f${i}.test.ts`);
  const processes = byProcess(files, imports, (file) => file === files[3]);
  assert.deepEqual(
    processes.map(({ length }) => length),
    [49, 1, 49, 13, 12],
  );
  assert.deepEqual(processes.flat().toSorted(), files.toSorted());
});
