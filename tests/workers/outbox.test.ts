import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Outgoing } from '../../src/outbound/types.ts';
import { openStore } from '../../src/store/store.ts';
import type { OutboxMessage, Store } from '../../src/store/types.ts';
import { outboxWorker } from '../../src/workers/outbox.ts';
import { idOf } from '../store/names.ts';

let folder: string;
let store: Store;
let now = 1_000_000;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-outbox-'));
  store = openStore({ folder, poolSize: 1 });
  await store.migrate(now);
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const silent = { info() {}, warn() {}, error() {} };
const payloadOf = ({ payload }: OutboxMessage) => JSON.parse(payload);

const put = (id: string, activityId: string, topic = 'mail') =>
  store.transaction((tx) =>
    tx.outbox.insert({
      id,
      organizationId: idOf('o'),
      activityId: idOf(activityId),
      topic,
      payload: `{"n":"${id}"}`,
      createdAt: now,
    }),
  );

test('messages leave in order within an activity, are tried again after a failure, and not again after success', async () => {
  for (const id of ['a1', 'a2', 'a3']) await put(id, 'a');
  await put('b1', 'b');
  const sent: string[] = [];
  let broken = true;
  const send = async ({ id, payload, attempt }: Outgoing) => {
    assert.deepEqual(payload, { n: id });
    if (id === 'a2' && broken) throw new Error('the peer is down');
    sent.push(`${id}#${attempt}`);
  };
  const worker = outboxWorker({ store, clock: { now: () => now }, log: silent, senders: new Map([['mail', send]]), payloadOf });
  assert.equal(await worker.sweep(), 2);
  assert.deepEqual(sent.sort(), ['a1#1', 'b1#1']);
  assert.equal(await worker.sweep(), 1, 'a2 is tried and fails; a3 waits behind it');
  assert.equal(await worker.sweep(), 0);
  broken = false;
  now += 1000;
  assert.equal(await worker.sweep(), 1);
  assert.equal(await worker.sweep(), 1);
  assert.equal(await worker.sweep(), 0);
  assert.deepEqual(sent, ['a1#1', 'b1#1', 'a2#2', 'a3#1']);
});

test('a message whose worker died is given out again when its lease ends, and only then', async () => {
  await put('c1', 'c');
  const [claimed] = await store.transaction((tx) => tx.outbox.claim('mail', now, 60_000, 10));
  assert.equal(claimed?.id, 'c1');
  const sent: string[] = [];
  const worker = outboxWorker({
    store,
    clock: { now: () => now },
    log: silent,
    senders: new Map([['mail', async (m: Outgoing) => void sent.push(m.id)]]),
    payloadOf,
  });
  assert.equal(await worker.sweep(), 0);
  now += 60_000;
  assert.equal(await worker.sweep(), 1);
  assert.deepEqual(sent, ['c1']);
});

test('two workers at once never send the same message', async () => {
  for (let i = 0; i < 20; i++) await put(`d${i}`, `d${i}`);
  const sent: string[] = [];
  const senders = new Map([['mail', async (m: Outgoing) => void sent.push(m.id)]]);
  const workers = [0, 1].map(() => outboxWorker({ store, clock: { now: () => now }, log: silent, senders, payloadOf }));
  while ((await Promise.all(workers.map((w) => w.sweep()))).some((n) => n > 0));
  assert.equal(sent.length, 20);
  assert.equal(new Set(sent).size, 20);
});

test('a message that fails too often is given up and does not block the queue of others', async () => {
  await put('e1', 'e');
  const senders = new Map([['mail', async () => assert.fail('the peer is down')]]);
  const worker = outboxWorker({ store, clock: { now: () => now }, log: silent, senders, payloadOf });
  let attempts = 0;
  for (let i = 0; i < 40; i++) {
    attempts += await worker.sweep();
    now += 24 * 60 * 60 * 1000;
  }
  assert.equal(attempts, 9);
});

test('a topic that nobody sends waits as long as it takes, and then leaves in order', async () => {
  const sent: string[] = [];
  const of = (topic: string) => {
    const senders = new Map([[topic, async (m: Outgoing) => void sent.push(m.id)]]);
    return outboxWorker({ store, clock: { now: () => now }, log: silent, senders, payloadOf });
  };
  await put('f1', 'f');
  await put('f2', 'f');
  const others = of('webhook');
  for (let i = 0; i < 20; i++) {
    assert.equal(await others.sweep(), 0);
    now += 24 * 60 * 60 * 1000;
  }
  await put('f3', 'f', 'webhook');
  assert.equal(await others.sweep(), 1, 'a topic does not wait for another');
  const mail = of('mail');
  for (const left of [1, 1, 0]) assert.equal(await mail.sweep(), left);
  assert.deepEqual(sent, ['f3', 'f1', 'f2']);
});
