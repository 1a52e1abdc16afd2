import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readiness } from '../../src/app/readiness.ts';

test('one look answers all who ask within a second, whatever it found', async () => {
  let now = 5000;
  let looks = 0;
  let broken: Error | undefined;
  const look = async () => {
    looks += 1;
    if (broken) throw broken;
  };
  const ready = readiness(look, { now: () => now });
  await Promise.all([ready(), ready()]);
  now += 999;
  await ready();
  assert.equal(looks, 1);
  now += 1;
  broken = new Error('gone');
  await assert.rejects(ready(), broken);
  broken = undefined;
  await assert.rejects(ready(), /gone/);
  now += 1000;
  await ready();
  assert.equal(looks, 3);
  // A clock that was set back.
  now -= 60_000;
  await ready();
  assert.equal(looks, 4);
});
