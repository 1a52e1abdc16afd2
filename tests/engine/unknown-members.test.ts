import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { activities } from '../../src/activities/index.ts';
import { unknownInSubmit, unknownMembers } from '../../src/engine/unknown-members.ts';
import { samples } from '../support/samples.ts';

const Shape = z.object({
  name: z.string().transform((text) => text.length),
  maybe: z.object({ inner: z.boolean() }).optional(),
  list: z.array(z.object({ a: z.string() })),
  either: z.union([
    z.object({ x: z.object({ p: z.string() }) }),
    z.object({ y: z.number(), x: z.object({ q: z.string() }) }),
    z.string(),
  ]),
  map: z.record(z.string(), z.object({ value: z.string() })),
  any: z.unknown(),
});

test('members that a schema does not know, by path', () => {
  const value = {
    name: 'n',
    nmae: 'typo',
    maybe: { inner: true, outer: 1 },
    list: [{ a: 'b' }, { a: 'b', c: { d: 1 } }],
    either: { x: { p: 'p', q: 'q', r: 'r' }, z: 0 },
    map: { anything: { value: 'v', extra: 1 } },
    any: { whatever: { is: 'here' } },
  };
  assert.deepEqual(unknownMembers(Shape, value, ''), [
    'nmae',
    'maybe.outer',
    'list[1].c',
    'either.x.r',
    'either.z',
    'map.anything.extra',
  ]);
  assert.deepEqual(unknownMembers(Shape, { either: 'text', list: [] }, 'parameters'), []);
  assert.deepEqual(unknownMembers(Shape, { wrong: 1 }, 'parameters'), ['parameters.wrong']);
});

test('ten at most', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`m${i}`, i]));
  assert.equal(unknownMembers(Shape, many, '').length, 10);
  const deep = { list: Array.from({ length: 100 }, () => ({ a: '', b: '' })) };
  assert.equal(unknownMembers(Shape, deep, '').length, 10);
});

test('long names are cut: they are logged, and a body may be one name', () => {
  const name = `${'n'.repeat(99)}\u{1f600}${'n'.repeat(900_000)}`;
  const cut = `${'n'.repeat(99)}\ufffd…`;
  assert.deepEqual(unknownMembers(Shape, { [name]: 1 }, ''), [cut]);
  assert.deepEqual(unknownInSubmit({ [name]: 1 }, Shape, {}), [cut]);
  assert.ok(encodeURIComponent(cut).length < 1024);
});

test('names of objects’ own members are unknown too', () => {
  assert.deepEqual(unknownMembers(Shape, JSON.parse('{"constructor":1,"toString":2}'), ''), ['constructor', 'toString']);
});

for (const kind of activities) {
  test(`${kind.kind}: nothing of the sample is unknown, and a further member is`, () => {
    const version = kind.params.numbers.at(-1)!;
    const sample = samples(kind.kind) as object;
    const schema = kind.params.schema(version);
    assert.deepEqual(unknownMembers(schema, sample, 'parameters'), []);
    assert.deepEqual(unknownMembers(schema, { ...sample, futher: 1 }, 'parameters'), ['parameters.futher']);
  });
}
