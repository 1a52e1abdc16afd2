import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { activity } from '../../../src/engine/activity/declare.ts';
import { since, v1 } from '../../../src/engine/activity/versions.ts';

const first = v1(z.object({ name: z.string() }));
const second = first.to(2, z.object({ names: z.array(z.string()) }), ({ name }) => ({ names: [name] }));
const third = second.to(4, z.object({ names: z.array(z.string()), loud: z.boolean() }), (p) => ({ ...p, loud: false }));

test('each version has its own schema and is raised step by step to the newest', () => {
  assert.deepEqual(third.numbers, [1, 2, 4]);
  assert.deepEqual(third.raise(1, { name: 'a' }), { names: ['a'], loud: false });
  assert.deepEqual(third.raise(2, { names: ['a'] }), { names: ['a'], loud: false });
  assert.deepEqual(third.raise(4, { names: [], loud: true }), { names: [], loud: true });
  assert.equal(third.schema(1).safeParse({ names: [] }).success, false);
  assert.equal(third.schema(2).safeParse({ names: [] }).success, true);
});

test('appending makes a new chain and leaves the old one', () => {
  assert.deepEqual(first.numbers, [1]);
  assert.deepEqual(second.numbers, [1, 2]);
  assert.deepEqual(second.raise(1, { name: 'a' }), { names: ['a'] });
});

test('a version that is not there is an error, not a guess', () => {
  for (const version of [0, 3, 5]) {
    assert.throws(() => third.schema(version), /no version/);
    assert.throws(() => third.raise(version, {}), /no version/);
  }
});

test('a kind may begin at a later version', () => {
  const chain = since(7, z.object({ a: z.string() })).to(8, z.object({ a: z.string() }), (p) => p);
  assert.deepEqual(chain.numbers, [7, 8]);
  assert.throws(() => chain.schema(1), /no version/);
});

test('a broken step gives logic what the newest schema no longer says', () => {
  const chain = first.toBreak(2, z.object({ id: z.string() }), ({ name }) => ({ id: '', byName: name }));
  assert.deepEqual(chain.raise(1, { name: 'a' }), { id: '', byName: 'a' });
});

test('type names, intent keys, path and results follow from the kind and its versions', () => {
  const kind = activity({
    kind: 'MAKE_THING',
    resource: 'THING',
    action: 'CREATE',
    summary: '',
    params: third,
    result: { key: 'makeThingResultV4', shape: z.object({ ids: z.array(z.string()) }) },
    oldResults: [
      { until: 1, key: 'makeThingResult', shape: z.object({ id: z.string() }), write: ({ ids }) => ({ id: ids[0] }) },
      { until: 2, key: 'makeThingResultV2', shape: z.object({ n: z.number() }), write: ({ ids }) => ({ n: ids.length }) },
    ],
    errors: [],
    execute: async () => ({ ids: [] }),
  });
  assert.equal(kind.path, '/public/v1/submit/make_thing');
  assert.deepEqual([kind.governedBy, kind.submitters.from, kind.custody], ['policy', 'own', []]);
  assert.deepEqual(
    [...kind.versions.values()].map((v) => [v.type, v.version, v.intentKey, v.result.key, v.result.write({ ids: ['x', 'y'] })]),
    [
      ['ACTIVITY_TYPE_MAKE_THING', 1, 'makeThingIntent', 'makeThingResult', { id: 'x' }],
      ['ACTIVITY_TYPE_MAKE_THING_V2', 2, 'makeThingIntentV2', 'makeThingResultV2', { n: 2 }],
      ['ACTIVITY_TYPE_MAKE_THING_V4', 4, 'makeThingIntentV4', 'makeThingResultV4', { ids: ['x', 'y'] }],
    ],
  );
});
