import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lru } from '../../src/base/lru.ts';

const held = <V>(lru: Lru<V>, ...keys: string[]) => keys.filter((key) => lru.get(key) !== undefined).join('');

test('the least recently used entry goes, not all', () => {
  const lru = new Lru<number>(3);
  for (const key of ['a', 'b', 'c']) lru.set(key, 1);
  lru.get('a');
  lru.set('d', 1);
  assert.equal(held(lru, 'a', 'b', 'c', 'd'), 'acd');
});

test('entries count by their weight, the latest value of a key alone', () => {
  const lru = new Lru<{ weight: number }>(10, ({ weight }) => weight);
  lru.set('a', { weight: 4 });
  lru.set('b', { weight: 4 });
  lru.set('b', { weight: 6 });
  assert.equal(held(lru, 'a', 'b'), 'ab');
  lru.set('a', { weight: 1 });
  lru.set('c', { weight: 3 });
  assert.equal(held(lru, 'a', 'b', 'c'), 'abc');
  lru.get('a');
  lru.set('d', { weight: 9 });
  assert.equal(held(lru, 'a', 'b', 'c', 'd'), 'ad', 'as few go as must: of ten, nine and one');
  lru.set('e', { weight: 50 });
  assert.equal(held(lru, 'a', 'd', 'e'), 'e', 'one that is too heavy for all is kept alone');
  lru.set('f', { weight: 1 });
  assert.equal(held(lru, 'e', 'f'), 'f');
  lru.delete('f');
  lru.delete('f');
  for (const key of ['g', 'h']) lru.set(key, { weight: 5 });
  assert.equal(held(lru, 'f', 'g', 'h'), 'gh');
});
