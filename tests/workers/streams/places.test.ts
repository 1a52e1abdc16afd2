import assert from 'node:assert/strict';
import { test } from 'node:test';
import { streamPlaces } from '../../../src/workers/streams/places.ts';

const full = (whose: RegExp) => ({ code: 'LIMIT_EXCEEDED', http: 429, message: whose });

test('a user, an organization and a process have a number of places, which can be taken again', () => {
  const take = streamPlaces({ user: 2, organization: 3, process: 10 });
  const at = (userId: string, organizationId: string, payerId = organizationId) => take({ userId, organizationId, payerId });
  const free = [at('ann', 'one'), at('ann', 'one')];
  assert.throws(() => at('ann', 'two'), full(/^this user already has 2 open streams: end one of them/));
  free.push(at('bob', 'one'));
  assert.throws(() => at('bob', 'one'), full(/^this organization already has 3 open streams: .*webhook endpoint/));
  for (const [user, organization] of [
    ['b', 'two'],
    ['c', 'two'],
    ['d', 'three'],
    ['e', 'three'],
    ['f', 'four'],
    ['g', 'five'],
    ['h', 'six'],
  ])
    free.push(at(user!, organization!));
  assert.throws(() => at('i', 'seven'), full(/^this process of the service already has 10 open streams: try again later/));
  for (const one of free) one();
  for (let i = 0; i < 2; i++) at('ann', 'one');
});

test('many sub-organizations of one parent leave places for others', () => {
  const take = streamPlaces({ user: 5, organization: 10, process: 30 });
  const of = (payerId: string, i: number) => take({ userId: `${payerId} user ${i}`, organizationId: `${payerId} ${i}`, payerId });
  for (let i = 0; i < 10; i++) of('attacker', i);
  assert.throws(
    () => of('attacker', 10),
    full(/^the parent with its sub-organizations already has 10 open streams: .* end some/),
  );
  for (let i = 0; i < 5; i++) of('another', i);
});
