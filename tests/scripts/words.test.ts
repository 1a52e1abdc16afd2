import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { spansOf } from '../../scripts/check/spans.ts';
import {
  messagesOf,
  paragraphsOfComments,
  paragraphsOfMarkdown,
  paragraphsOfSettings,
  sentencesOf,
  textsOf,
} from '../../scripts/check/words.ts';
import { checkWords } from '../../scripts/check/words-count.ts';

function tree(t: TestContext, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'countersign-words-'));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

test('sentences end where a new one begins; code and links are words', () => {
  const found = sentencesOf('The send is stored (`a b c`), see [the page](x.md). Version 1.2 e.g. works. "It ends."');
  assert.deepEqual(
    found.map(({ words }) => words),
    [8, 4, 2],
  );
});

test('comments that follow each other are read as one text, and code is not', () => {
  const text = "// One sentence that goes\n// on here.\nconst a = 'b'; // Another.\n\n/**\n * - an item\n * - one more\n */\n";
  assert.deepEqual(paragraphsOfComments(text, spansOf(text)), [
    'One sentence that goes on here.',
    'Another.',
    'an item',
    'one more',
  ]);
});

test('messages are strings that read as sentences, with their values', () => {
  const text = 'f(`the file ${name} is not there: create it`, "SELECT a FROM b WHERE c = d", "kebab-case");';
  assert.equal(messagesOf(text, spansOf(text)).length, 1);
});

test('text between tags is read by its paragraphs, and an apostrophe or a slash in it opens nothing', () => {
  const text = `const size = a < b && f<string>('not shown');
export const Note = <T,>({ at }: Props<T>) => (
  <section title="The caller's title here">
    {/* A comment in it. */}
    <h2>Don't wait</h2>
    <p>
      The caller <b>waits</b> for {at.map((one) => (one ? <i>its {one} seconds</i> : \`\${one} \`))} at https://host/ then.{' '}
      It <Link to="/">ends</Link>.
    </p>
    {at.length > 1 && <p>It's more.</p>}
  </section>
);
// After it.
`;
  const spans = spansOf(text, true);
  assert.deepEqual(
    textsOf(text, spans).map((one) => one.replace(/\s+/g, ' ').trim()),
    ["Don't wait", 'The caller waits for ¤ at https://host/ then. It ends.', 'its ¤ seconds', "It's more."],
  );
  assert.deepEqual(paragraphsOfComments(text, spans), ['A comment in it.', 'After it.']);
  assert.deepEqual(messagesOf(text, spans), ["The caller's title here"]);
});

test('of configurations, comments and texts for people are read', () => {
  const text =
    '# One sentence that goes\n# on here.\na: 1\n  # Another.\n  - summary: "it is down: see its log"\nDescription=Its unit\n';
  assert.deepEqual(paragraphsOfSettings(text), [
    'One sentence that goes on here.',
    'Another.',
    '"it is down: see its log"',
    'Its unit',
  ]);
});

test('of documents, cells of tables and items are texts of their own, and code is left out', () => {
  const text =
    '# Title here\n\nA line\nand more.\n\n```js\nWho reads this\n```\n\n| A b | C d |\n|---|---|\n| one two | `x|y` |\n';
  assert.deepEqual(paragraphsOfMarkdown(text).slice(0, 4), ['Title here', 'A line and more.', 'A b', 'C d']);
});

test('commands, options of a help text, lists of names, SQL and code are no sentences', () => {
  const help = `const HELP = \`Usage: countersign x [--aa NAME]

Does what its name says. See below.

  --aa NAME  the name that the new key gets in the lists of keys,
             and in the file
  --bb       nothing else than that is done
\`;
f(\`{ SELECT \${a} FROM b LEFT JOIN c ON true and some more words } LEFT JOIN d\`, 'get_a get_b get_c get_d', 'const a = the(b) and c');`;
  assert.deepEqual(messagesOf(help, spansOf(help)), [
    'Does what its name says. See below.',
    'the name that the new key gets in the lists of keys, and in the file',
    'nothing else than that is done',
  ]);
});

test('a sentence without a subject and one that is too long are errors, each listed with its file', (t) => {
  const root = tree(t, { 'src/a.ts': '// The caller waits.\n', 'scripts/check/words-counts.json': '{}' });
  assert.deepEqual(checkWords(root), { failures: 0, output: '' });
  writeFileSync(join(root, 'src/a.ts'), '// What is sent waits.\n');
  writeFileSync(join(root, 'src/b.ts'), `// The caller waits${' and waits'.repeat(15)}.\n`);
  mkdirSync(join(root, 'tests'));
  writeFileSync(
    join(root, 'tests/c.test.ts'),
    ['who waits is told', 'a caller who waits is told'].map((title) => `test('${title}', () => {});\n`).join(''),
  );
  assert.deepEqual(checkWords(root), {
    failures: 3,
    output: [
      'src/a.ts  [subject] names no subject: What is sent waits.',
      `src/b.ts  [too long] has 33 words, and may have 30: The caller waits${' and waits'.repeat(15)}.`,
      'tests/c.test.ts  [subject] names no subject: who waits is told',
    ].join('\n'),
  });
});

test('pages, configurations and the notes of the next version are read too, and notes of a release are not', (t) => {
  const bad = 'What is sent waits.';
  const root = tree(t, {
    'scripts/check/words-counts.json': '{}',
    'console/src/a.tsx': `export const A = () => <p>It's so. ${bad}</p>;\n`,
    'frames/a.ts': `// ${bad}\n`,
    'deploy/nginx/a.conf': `# ${bad}\n`,
    'CHANGELOG.md': `# Changelog\n\n## Unreleased\n\n- ${bad}\n\n## 0.2.0\n\n- Nobody reads this again.\n`,
  });
  const { failures, output } = checkWords(root);
  assert.equal(failures, 4, output);
  for (const file of ['CHANGELOG.md', 'console/src/a.tsx', 'deploy/nginx/a.conf', 'frames/a.ts'])
    assert.ok(output.includes(`${file}  [subject] names no subject: ${bad}`), file);
});

test('a count may not rise, and going down is written down on request', (t) => {
  const bad = '// The caller stands here.\n';
  const root = tree(t, { 'src/a.ts': bad, 'scripts/check/words-counts.json': '{"src":{"phrase":1}}' });
  assert.equal(checkWords(root).failures, 0);
  writeFileSync(join(root, 'src/b.ts'), `${bad}\n// The caller waits${' and waits'.repeat(10)}.\n`);
  const risen = checkWords(root, { all: true });
  assert.equal(risen.failures, 2);
  assert.match(risen.output, /src: 2 sentences \[phrase\], 1 before/);
  assert.match(risen.output, /src: 1 sentences \[long\], 0 before[\s\S]*src\/b\.ts {2}\[phrase\] say "exists"/);
  writeFileSync(join(root, 'src/b.ts'), '');
  writeFileSync(join(root, 'src/a.ts'), '// The caller waits.\n');
  assert.match(checkWords(root).output, /fewer sentences/);
  checkWords(root, { record: true });
  writeFileSync(join(root, 'src/a.ts'), bad);
  assert.equal(checkWords(root).failures, 1);
});
