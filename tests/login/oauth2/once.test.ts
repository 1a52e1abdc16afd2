import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, Unreachable } from '../../../src/base/errors.ts';
import { onceAtATime } from '../../../src/login/oauth2/once.ts';

test('work is done once for each key, for those who ask at once and for a minute after', async () => {
  let now = 0;
  let done = 0;
  const once = onceAtATime<number>({ now: () => now });
  const work = async () => ++done;
  assert.deepEqual(await Promise.all([once('a', work), once('a', work), once('b', work)]), [1, 1, 2]);
  now += 59_999;
  assert.equal(await once('a', work), 1);
  now += 1;
  assert.equal(await once('a', work), 3);
});

test('a lasting refusal is kept, a passing one is not', async () => {
  const once = onceAtATime<number>({ now: () => 0 });
  const refusal = new ApiError('REQUEST_INVALID');
  await assert.rejects(
    once('a', () => Promise.reject(refusal)),
    refusal,
  );
  await assert.rejects(
    once('a', async () => 1),
    refusal,
  );
  await assert.rejects(
    once('b', () => Promise.reject(new Unreachable('later'))),
    /later/,
  );
  assert.equal(await once('b', async () => 2), 2);
});

test('the number of kept results is bounded, and the oldest is dropped first', async () => {
  const once = onceAtATime<number>({ now: () => 0 });
  for (let i = 0; i < 4097; i++) await once(`${i}`, async () => i);
  assert.equal(await once('4096', async () => -1), 4096);
  assert.equal(await once('0', async () => -1), -1);
});
