import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readiness } from '../../src/app/readiness.ts';

test('those who ask at once share one look, whatever it finds; the next asks anew', async () => {
  const looks: PromiseWithResolvers<void>[] = [];
  const ready = readiness(() => {
    looks.push(Promise.withResolvers());
    return looks.at(-1)!.promise;
  });
  const both = Promise.all([ready(), ready()]);
  looks[0]!.resolve();
  await both;
  assert.equal(looks.length, 1);
  const refused = Promise.allSettled([ready(), ready()]);
  looks[1]!.reject(new Error('gone'));
  for (const { status } of await refused) assert.equal(status, 'rejected');
  assert.equal(looks.length, 2);
  const again = ready();
  looks[2]!.resolve();
  await again;
});

test('a look that never ends is refused after a bounded time, as to those who ask later, and is not begun again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let looks = 0;
  const ready = readiness(() => {
    looks++;
    return new Promise<void>(() => {});
  });
  const first = assert.rejects(ready(), /the database has not answered for 1500 ms/);
  t.mock.timers.tick(1_500);
  await first;
  await assert.rejects(ready(), /the database has not answered for 1500 ms/);
  assert.equal(looks, 1);
});
