import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concernedBy } from '../../scripts/test/changed.ts';
import { chosenFiles } from '../../scripts/test/choose.ts';
import { Imports } from '../../scripts/test/imports.ts';
import { asked, FIRST, ROOT, runner } from './runner.ts';

test('skipped tests are listed by their reason', () => {
  const { code, text } = runner({
    one: "test('a', { skip: 'no moon' }, () => {}); test('b', { skip: 'no moon' }, () => {}); test('c', () => {});",
    two: "test('d', (t) => t.skip('no moon')); test('e', { todo: 'tomorrow' }, () => {});",
  });
  assert.equal(code, 0, text);
  assert.match(
    text,
    /^skipped \(no moon\): 3 tests in tests\/a\/(one\.test\.ts \(2\), tests\/a\/two|two\.test\.ts, tests\/a\/one)/m,
  );
  assert.match(text, /^skipped \(to do, tomorrow\): 1 test in tests\/a\/two\.test\.ts$/m);
  assert.match(text, /^1 passed, 0 failed, 4 skipped$/m);
});

test('a skip without a reason fails', () => {
  const { code, text } = runner({ one: "test('a', { skip: true }, () => {}); test('b', () => {});" });
  assert.equal(code, 1, text);
  assert.match(text, /✗ a: skipped without a reason/);
  assert.match(text, /^1 passed, 1 failed, 1 skipped$/m);
});

test('what tests leave in the temporary folder is named, counted as a failure and removed', () => {
  const ofChromium = "writeFileSync(join(tmpdir(), '.org.chromium.Chromium.aB1'), '');";
  const clean = `test('a', () => rmSync(mkdtempSync(join(tmpdir(), 'gone-')), { recursive: true })); ${ofChromium}`;
  const leaving = "test('b', () => mkdirSync(join(tmpdir(), 'forgotten')));";
  const kept = runner({ clean });
  assert.deepEqual([kept.code, kept.left], [0, []], kept.text);
  const { code, text, left } = runner({ clean, leaving });
  assert.deepEqual([code, left], [1, []], text);
  assert.match(text, /^FAIL the tests left in the temporary folder: forgotten$/m);
  assert.match(text, /^2 passed, 1 failed$/m);
  const failing = runner({ leaving: `${leaving} test('c', () => { throw new Error('no'); });` });
  assert.match(failing.text, /^note the tests left in the temporary folder: forgotten$/m);
  assert.match(failing.text, /^1 passed, 1 failed$/m);
});

test('a file that takes too long is ended, whether it hears signals or not, the run goes on, and it may be repeated', () => {
  const files = {
    deaf: `${FIRST} process.on('SIGTERM', () => {}); test('a', () => {}); test('b', async () => { if (first('b')) for (;;) await null; });`,
    good: "test('c', () => {});",
    later: "test('e', () => {});",
    waits: `${FIRST} test('d', () => new Promise((resolve) => (first('d') ? setTimeout(resolve, 600_000) : resolve())));`,
    with: "test('f', () => {});",
  };
  const { code, text } = runner(files, '--timeout', '6', '--again');
  assert.equal(code, 0, text);
  for (const name of ['deaf', 'waits'])
    assert.match(
      text,
      new RegExp(`^FAIL tests/a/${name}\\.test\\.ts\n +✗ it ran longer than 6 s, and is stopped with SIGTERM$`, 'm'),
    );
  assert.match(text, /✗ it ignored SIGTERM, and is stopped with SIGKILL$/m);
  for (const name of ['good', 'later', 'with']) assert.match(text, new RegExp(`^ok {3}tests/a/${name}\\.test\\.ts`, 'm'));
  assert.match(text, /ended before 2 of them: 1 run again, each alone$/m);
  for (const name of ['deaf', 'waits']) assert.match(text, new RegExp(`^flaky tests/a/${name}`, 'm'));
  assert.match(text, /\n6 passed, 0 failed\n$/);
});

test('a run that is told to end does so, whatever its files do with the signal, and waits for no time of theirs', () => {
  const stop = "process.kill(process.ppid, 'SIGTERM');";
  const files = {
    deaf: `process.on('SIGTERM', () => {}); test('a', async () => { ${stop} for (;;) await null; });`,
    waits: `test('b', () => new Promise((resolve) => { ${stop} setTimeout(resolve, 600_000); }));`,
  };
  for (const [name, file] of Object.entries(files)) {
    const { code, text } = runner({ [name]: file }, '--timeout', '60');
    assert.equal(code, 1, text);
    assert.match(text, /^stopped by SIGTERM$/m);
    assert.doesNotMatch(text, /it ran longer than/);
  }
});

test('files that failed are run once more if that is asked for, and those that pass then are named', () => {
  const files = {
    flaky: `${FIRST} test('a', { skip: first('a') && 'no moon' }, () => {}); test('b', () => { if (first('b')) throw new Error('not yet'); });`,
    loading: `${FIRST} if (first('c')) process.exit(1); test('c', () => {});`,
    broken: "test('d', () => { throw new Error('never'); }); test('e', () => {});",
    good: `${FIRST} test('f', () => { if (!first('f')) throw new Error('twice'); });`,
  };
  const { code, text } = runner(files, '--again');
  assert.equal(code, 1, text);
  assert.match(text, /^FAIL tests\/a\/flaky.+Error: not yet.+^once more, one at a time: 3 test files that failed$/ms);
  const named = ['flaky', 'loading'].map(
    (name) => `flaky tests/a/${name}.test.ts: failed, and passed alone the second time (sqlite)\n`,
  );
  assert.ok(text.includes(`${named.join('')}sqlite: 5 passed, 1 failed`), text);
  assert.ok(text.endsWith(`\n${named.join('')}\n5 passed, 1 failed\n`), text);
  assert.equal(text.split('Error: never').length, 3, text);
  assert.doesNotMatch(text, /no moon|flaky tests\/a\/broken/);
});

test('a file that fails is not run again unless that is asked for, nor are more than ten', () => {
  const once = `${FIRST} test('a', () => { if (first(import.meta.filename.split('/').at(-1))) throw new Error('not yet'); });`;
  const alone = runner({ once });
  assert.equal(alone.code, 1, alone.text);
  assert.match(alone.text, /\n0 passed, 1 failed\n$/);
  const good = runner({ once }, '--again');
  assert.equal(good.code, 0, good.text);
  assert.match(good.text, /\n1 passed, 0 failed\n$/);
  const many = runner(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`f${i}`, once])), '--again');
  assert.equal(many.code, 1, many.text);
  assert.match(many.text, /^11 files failed: more than 10, so none is run again$/m);
  assert.match(many.text, /\n0 passed, 11 failed\n$/);
});

test('files and folders may be named, from where npm was called', () => {
  const files = { one: "test('a', () => {});", two: "test('b', () => {});" };
  const one = asked(files, 'a/one.test.ts', './a/one.test.ts');
  assert.equal(one.code, 0, one.text);
  if (process.platform === 'linux')
    assert.match(one.text, /\nprocessor time: [1-9]\d* s; most by .*\btests\/a\/one\S+ \d+ s.*\n\n1 passed/);
  assert.match(one.text, /^ok {3}tests\/a\/one\.test\.ts/m);
  assert.match(one.text, /\n1 passed, 0 failed\n$/);
  assert.match(asked(files, 'a').text, /\n2 passed, 0 failed\n$/);
  assert.match(asked(files, 'a', '--only', 'two').text, /\n1 passed, 0 failed\n$/);
});

test('what cannot be run is told in a sentence', () => {
  const files = { one: "test('a', () => {});" };
  const sentences: [string[], RegExp][] = [
    [['--only', 'nosuch'], /^no test file has nosuch in its path; a path is such as tests\/a\/one\.test\.ts$/m],
    [
      ['a/one.ts'],
      /^a\/one\.ts is neither a test file nor a folder of test files. For a part of a path: npm test -- --only a\/one\.ts$/m,
    ],
    [['a/one.test.ts', '--engine', 'postgres'], /^nothing differs on postgres in tests\/a\/one\.test\.ts: leave --engine out$/m],
    [['--onyl', 'x'], /^Unknown option '--onyl'/m],
    [['--engine', 'mysql'], /^--engine is sqlite or postgres, not mysql$/m],
  ];
  for (const [args, sentence] of sentences) {
    const { code, text } = asked(files, ...args);
    assert.equal(code, 1, text);
    assert.match(text, sentence);
    assert.match(text, /^\n?[^\n]+\n\n0 passed, 1 failed\n$/, 'nothing besides');
  }
});

test('a change concerns the tests that import it, and those of its place', () => {
  const all = chosenFiles(ROOT, { only: undefined, named: [], from: ROOT });
  const imports = new Imports(ROOT);
  const concerned = (path: string) => concernedBy([path], all, imports);
  const byTag = concerned('src/activities/tags/create-user-tag.ts');
  for (const file of ['activities/tags/create-user-tag', 'activities/tags/delete-user-tags', 'conformance/tenancy'])
    assert.ok(byTag.includes(`tests/${file}.test.ts`), file);
  assert.ok(!byTag.includes('tests/queries/users/get-user.test.ts'));
  assert.ok(concerned('src/base/errors.ts').includes('tests/queries/users/get-user.test.ts'));
  assert.ok(concerned('scripts/test/run.ts').includes('tests/scripts/test.test.ts'));
  for (const [read, file] of [
    ['docs/policy-language.md', 'policy/document'],
    ['package.json', 'scripts/packages'],
    ['openapi/public.json', 'released/released'],
  ] as const)
    assert.ok(concerned(read).includes(`tests/${file}.test.ts`), read);
  assert.ok(!concerned('docs/policy-language.md').includes('tests/queries/users/get-user.test.ts'));
});

test('--help tells of each option, and runs nothing', () => {
  const { code, text } = asked({ one: "test('a', () => {});" }, '--help');
  assert.equal(code, 0, text);
  assert.match(text, /^usage: npm test/);
  for (const option of ['full', 'release', 'only', 'changed', 'engine', 'seed', 'timeout', 'again'])
    assert.match(text, new RegExp(`^  --${option} `, 'm'));
  assert.doesNotMatch(text, /\d passed/);
});
