import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utilization } from '../../src/base/utilization.ts';
import { byLoad, steppingWorker } from '../../src/workers/stepping.ts';

const log = { info() {}, warn: (fields: object) => assert.fail(JSON.stringify(fields)), error() {} };
const STEP_MS = 7;

/** How long a worker rests after steps of 7 ms, while others use the thread as `busy` says. */
async function restsAt(busy: number, t: { mock: { method: typeof import('node:test').mock.method } }): Promise<number> {
  let now = 0;
  let rested = 0;
  const real = setTimeout;
  const timer = t.mock.method(globalThis, 'setTimeout', (done: () => void, ms: number) => {
    rested += ms;
    now += ms;
    return real(done, 0);
  });
  let steps = 0;
  const worker = steppingWorker({
    ...{ elapsed: { now: () => now }, log, everyMs: 1_000, failed: '' },
    rests: byLoad(() => () => busy),
    leave: async () => {},
    async step() {
      now += STEP_MS;
      return ++steps < 2;
    },
  });
  await worker.run();
  await worker.close();
  timer.mock.restore();
  return rested;
}

test('a worker rests as long as its step on an idle thread, and 32 times as long on a busy one', async (t) => {
  assert.equal(await restsAt(0, t), STEP_MS);
  assert.equal(await restsAt(0.5, t), STEP_MS * 8.75);
  assert.equal(await restsAt(1, t), STEP_MS * 32);
});

test('utilization tells a busy thread from an idle one', async () => {
  await new Promise(setImmediate);
  const busy = utilization();
  for (const end = performance.now() + 50; performance.now() < end; );
  await new Promise(setImmediate);
  const measured = busy();
  const idle = utilization();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(measured > 0.5 && idle() < measured, `${measured}, ${idle()}`);
});
