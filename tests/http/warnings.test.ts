import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warningsText } from '../../src/http/warnings.ts';

const decoded = (text: string): string[] => text.split(', ').map(decodeURIComponent);
const warning = (text: string) => ({ code: 'POLICY_SUSPICIOUS', text }) as const;

test('a text that was cut between the halves of a character, or holds a line break, stays a header', () => {
  const text = warningsText([warning('half \ud83d'), warning('two\r\nlines, and a comma')]);
  assert.match(text, /^[\x21-\x7e ]+$/);
  assert.deepEqual(decoded(text), ['POLICY_SUSPICIOUS: half \ufffd', 'POLICY_SUSPICIOUS: two\r\nlines, and a comma']);
});

test('a long text is cut, and no length of many exceeds two kilobytes', () => {
  assert.match(decoded(warningsText([warning('😀'.repeat(1000))]))[0]!, /^POLICY_SUSPICIOUS: (😀)+…$/u);
  for (let length = 0; length < 800; length += 7)
    for (const many of [1, 2, 3, 50]) {
      const text = warningsText(Array.from({ length: many }, () => warning('x'.repeat(length))));
      assert.ok(text.length <= 2048, `${many} of ${length}: ${text.length}`);
      const shown = decoded(text);
      const [, more] = /^MORE: (\d+) more$/.exec(shown.at(-1)!) ?? [];
      assert.equal(more === undefined ? shown.length : shown.length - 1 + Number(more), many);
    }
});
