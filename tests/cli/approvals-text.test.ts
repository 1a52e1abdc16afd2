/** The command line prints all that a review says, in its order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grouped, type Review, reviewOf, walk } from '../../review/index.ts';
import { reviewedText, reviewLines } from '../../src/cli/approvals/text.ts';
import { bodyOf, corpus } from '../review/corpus.ts';
import { isFull } from '../support/full.ts';
import { largest } from '../support/largest-body.ts';
import { NOBODY } from '../support/refusals.ts';

function* textsOf({ title, type, fingerprint, facts, calls, warnings }: Review): Generator<string> {
  yield* [title, type];
  for (const { label, whole = '', value, unit = '', note = '' } of facts) yield* [label, whole, value, unit, note];
  // Of a plain payment the facts say the same.
  if (calls.some(({ function: text, data, calls: inner }) => text ?? data ?? inner[0]))
    for (const [, call] of walk(calls)) {
      const { isDelegate, to, function: text = '', value, named, arguments: given, data = '' } = call;
      yield* [isDelegate ? 'delegate call of' : ' to ', to, text];
      yield* value ? [value.amount, value.unit] : [];
      yield named ? 'named by an interface of the service' : '';
      for (const { name, type: kind, value: shown } of given)
        yield* [name, kind, /^u?int\d*$/.test(kind) ? grouped(shown) : shown];
      yield data;
    }
  for (const { level, text, at = '' } of warnings) yield* [level === 'red' ? 'RED' : 'amber', text, at];
  yield fingerprint;
}

test('each review of the corpus is printed whole', () => {
  for (const entry of [...corpus, ...(isFull ? [largest()] : [])]) {
    const review = reviewOf(bodyOf(entry), { contractInterfaces: new Map(Object.entries(entry.interfaces ?? {})) });
    const activity = { id: NOBODY, status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', votes: [] } as never;
    const printed = reviewedText({ activity, review, differences: [], unchecked: [], stamps: 0 });
    assert.doesNotMatch(printed, /(?!\n)[\p{Cc}\p{Bidi_Control}]/u, entry.name);
    const text = printed.replaceAll(/\n +\| /g, '\n');
    let from = 0;
    for (const each of textsOf(review)) {
      const at = text.indexOf(each, from);
      assert.ok(at >= 0, `${entry.name}: ${each}, in ${text.slice(from, from + 1000)}`);
      from = at + each.length;
    }
  }
});

test('a review of more facts than a call may have arguments is printed whole', () => {
  const review = reviewOf(bodyOf(corpus[0]!));
  const facts = Array(200_000).fill(review.facts[0]!);
  assert.equal(reviewLines({ ...review, facts }).length, reviewLines(review).length - review.facts.length + facts.length);
});
