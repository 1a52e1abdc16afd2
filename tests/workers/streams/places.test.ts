import assert from 'node:assert/strict';
import { test } from 'node:test';
import { streamPlaces } from '../../../src/workers/streams/places.ts';

const full = (whose: RegExp) => ({ code: 'LIMIT_EXCEEDED', http: 429, message: whose });

test('a user, an organization and a process have a number of places, which can be taken again', () => {
  const take = streamPlaces({ user: 2, organization: 3, process: 4 });
  const free = [take('ann', 'one'), take('ann', 'one')];
  assert.throws(() => take('ann', 'two'), full(/^this user already has 2 open streams: end one of them/));
  free.push(take('bob', 'one'));
  assert.throws(() => take('bob', 'one'), full(/^this organization already has 3 open streams: .*webhook endpoint/));
  free.push(take('bob', 'two'));
  assert.throws(() => take('cleo', 'two'), full(/^this process of the service already has 4 open streams: try again later/));
  for (const one of free) one();
  for (let i = 0; i < 2; i++) take('ann', 'one');
});
