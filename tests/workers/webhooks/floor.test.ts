import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floored } from '../../../src/workers/webhooks/floor.ts';
import { webhookWorker } from '../../../src/workers/webhooks/worker.ts';
import { idOf, NOW, openMigrated } from '../../store/fixture.ts';
import { webhookEventOf } from '../../store/repositories/webhooks/webhook-rows.ts';
import { waitFor } from '../../support/wait.ts';

test('looks begin where there was no row a minute or two ago, and each minute at the start', async () => {
  let now = 0;
  let rows: number[] = [];
  const look = floored({ now: () => now });
  const begunAt = async (at: number, some: number[]) => {
    now = at;
    rows = some;
    let begun: number | undefined;
    const read = async (after: number | undefined) => {
      begun = after;
      return rows.filter((row) => row > (after ?? 0));
    };
    const found = await look({ read, below: ([first]) => first && first - 1 });
    return [begun, ...found];
  };
  assert.deepEqual(await begunAt(0, [10, 11]), [undefined, 10, 11]);
  assert.deepEqual(await begunAt(59_999, []), [undefined]);
  assert.deepEqual(await begunAt(60_000, [20]), [undefined, 20]);
  assert.deepEqual(await begunAt(60_001, [20]), [undefined, 20], 'a row below the first one may still appear');
  assert.deepEqual(await begunAt(120_000, [30]), [undefined, 30]);
  assert.deepEqual(await begunAt(120_001, [8, 30]), [9, 30]);
  assert.deepEqual(await begunAt(179_999, []), [9]);
  assert.deepEqual(await begunAt(180_000, [8, 40]), [undefined, 8, 40]);
  assert.deepEqual(await begunAt(180_001, [8, 40]), [7, 8, 40], 'until what was found below has gone');
});

test('the worker does not look for events where there was none a minute or two ago', async (t) => {
  const opened = await openMigrated();
  const { store } = opened;
  const unused = () => assert.fail('nothing is delivered');
  let elapsed = 0;
  const worker = webhookWorker({
    store,
    clock: { now: () => NOW },
    elapsed: { now: () => elapsed },
    log: { info() {}, warn: (about, text) => assert.fail(`${text}: ${JSON.stringify(about)}`), error() {} },
    ids: { next: unused },
    random: unused,
    vault: { sign: unused } as never,
    keys: {} as never,
    post: unused,
    owner: 'a test',
    settled: unused,
    fannedOut: unused,
  });
  const looks = t.mock.method(store.read.webhookEvents, 'waiting');
  worker.start();
  try {
    const isLookedAt = async (name: string) => {
      await store.transaction((tx) => tx.webhookEvents.insert(webhookEventOf(idOf('org'), name)));
      worker.wake();
      await waitFor('the events to be looked at', async () => (await opened.raw('SELECT 1 FROM webhook_events')).length === 0);
    };
    for (const name of ['a', 'b', 'c']) {
      await isLookedAt(name);
      elapsed += 60_000;
    }
    await isLookedAt('d');
    await isLookedAt('e');
    // The first event has position 1.
    assert.ok(Number(looks.mock.calls.at(-1)!.arguments[1]) > 0, JSON.stringify(looks.mock.calls.map((call) => call.arguments)));
  } finally {
    await worker.close();
    await opened.close();
  }
});
