import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { type Outgoing, SendError } from '../../src/outbound/types.ts';
import { openStore } from '../../src/store/store.ts';
import type { OutboxMessage, Store } from '../../src/store/types.ts';
import { type OutboxWorker, type Outcome, outboxWorker, type Topic } from '../../src/workers/outbox.ts';
import { idOf } from '../store/names.ts';
import { claimDue } from '../support/outbox.ts';

let folder: string;
let store: Store;
let now = 1_000_000;
let open: OutboxWorker[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-outbox-'));
  store = openStore({ folder, poolSize: 1, onMessage: () => open.map((worker) => worker.wake()) });
  await store.migrate(now);
});
afterEach(async () => {
  for (const worker of open) await worker.close();
  open = [];
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const silent = { info() {}, warn() {}, error() {} };
const payloadOf = ({ payload }: OutboxMessage) => JSON.parse(payload);

type Send = (message: Outgoing) => Promise<void>;

/** Runs until the test ends. `topics`: what each of them does with a message. */
function start(topics: Record<string, Send>, more: Partial<Topic> = {}): OutboxWorker {
  const entries = Object.entries(topics).map(([name, send]): [string, Topic] => [
    name,
    {
      async send(message) {
        await send(message);
        return { response: '250 OK' };
      },
      secrets: () => [],
      ...more,
    },
  ]);
  const worker = outboxWorker({ store, clock: { now: () => now }, log: silent, topics: new Map(entries), payloadOf });
  open.push(worker);
  worker.start();
  return worker;
}

type More = { topic?: string; organization?: string; payer?: string; expiresAt?: number };

const put = (
  id: string,
  activityId: string,
  { topic = 'mail', organization = 'o', payer = organization, expiresAt }: More = {},
) =>
  store.transaction((tx) =>
    tx.outbox.insert({
      id,
      organizationId: idOf(organization),
      payerId: idOf(payer),
      activityId: idOf(activityId),
      topic,
      payload: `{"n":"${id}"}`,
      createdAt: now,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }),
  );

/** Both states that an operator may look at. */
const left = async () => [...(await store.read.outbox.page('ready', 100)), ...(await store.read.outbox.page('dead', 100))];

test('messages leave in order within an activity, are tried again after a failure, and are gone once they are sent', async () => {
  const sent: string[] = [];
  let broken = true;
  const worker = start({
    async mail({ id, payload, attempt }) {
      assert.deepEqual(payload, { n: id });
      if (id === 'a2' && broken) throw new Error('the peer is down');
      sent.push(`${id}#${attempt}`);
    },
  });
  for (const id of ['a1', 'a2', 'a3']) await put(id, 'a');
  await put('b1', 'b');
  await worker.settled();
  assert.deepEqual(sent.toSorted(), ['a1#1', 'b1#1'], 'a2 failed, and a3 waits behind it');
  broken = false;
  await worker.settled();
  assert.equal(sent.length, 2, 'not before its time');
  now += 1000;
  await worker.settled();
  assert.deepEqual(sent.slice(2), ['a2#2', 'a3#1']);
  assert.deepEqual(await left(), []);
});

test('a commit wakes the worker at once', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  start({ mail: async ({ id }) => resolve(id) });
  await put('w1', 'w');
  assert.equal(await promise, 'w1');
});

test('a message whose worker died is given out again when its lease ends, and only then', async () => {
  await put('c1', 'c');
  const [claimed] = await claimDue(store, 'mail', now, 60_000, 10);
  assert.equal(claimed?.id, 'c1');
  const sent: string[] = [];
  const worker = start({ mail: async (m) => void sent.push(m.id) });
  await worker.settled();
  assert.deepEqual(sent, []);
  now += 60_000;
  await worker.settled();
  assert.deepEqual(sent, ['c1']);
});

test('what a worker that was too slow says of a message does not undo what another one says', async () => {
  await put('l1', 'l');
  const [slow] = await claimDue(store, 'mail', now, 60_000, 10);
  now += 60_000;
  const [next] = await claimDue(store, 'mail', now, 60_000, 10);
  await store.transaction((tx) => tx.outbox.retryAt(slow!, now, 'late'));
  assert.deepEqual(await claimDue(store, 'mail', now, 60_000, 10), [], 'the lease of the other holds');
  await store.transaction((tx) => tx.outbox.done(next!.id));
});

test('the backlog of one top-level organization, with all below it, leaves places for others', async () => {
  // More than are looked at in one step.
  const backlog = 250;
  for (let i = 0; i < backlog; i++) await put(`p${i}`, `p${i}`, { organization: `below ${i % 10}`, payer: 'top' });
  const others = Array.from({ length: 20 }, (_, i) => `q${i}`);
  for (const [i, id] of others.entries()) await put(id, id, { organization: `another ${i % 3}` });
  const begun: string[] = [];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const ofOthers = () => begun.filter((id) => id.startsWith('q'));
  const worker = start({
    async mail({ id }) {
      begun.push(id);
      if (ofOthers().length === others.length) resolve();
      if (id.startsWith('p')) await held;
    },
  });
  await promise;
  assert.deepEqual(ofOthers().sort(), others.sort());
  assert.equal(begun.length, others.length + 4);
  release();
  await worker.settled();
  assert.equal(begun.length, backlog + others.length);
});

test('two workers at once never send the same message', async () => {
  for (let i = 0; i < 40; i++) await put(`d${i}`, `d${i}`, { organization: `o${i % 7}` });
  const sent: string[] = [];
  const workers = [0, 1].map(() => start({ mail: async (m) => void sent.push(m.id) }));
  while (sent.length < 40) await Promise.all(workers.map((worker) => worker.settled()));
  assert.equal(sent.length, 40);
  assert.equal(new Set(sent).size, 40);
});

test('a message that fails too often is given up, stays with its reason, and can be sent by hand', async () => {
  let attempts = 0;
  let broken = true;
  const worker = start({
    async mail() {
      attempts++;
      if (broken) throw new Error('the peer is down');
    },
  });
  await put('e1', 'e');
  for (let i = 0; i < 40; i++) {
    await worker.settled();
    now += 24 * 60 * 60 * 1000;
  }
  assert.equal(attempts, 9);
  const [dead] = await store.read.outbox.page('dead', 10);
  assert.equal(dead?.lastError, 'the peer is down');
  broken = false;
  assert.equal(await store.transaction((tx) => tx.outbox.retry('e1', now)), true);
  await worker.settled();
  assert.equal(attempts, 10);
  assert.deepEqual(await left(), []);
});

test('one that is refused for good is not tried again, and an error shows no secret', async () => {
  const outcomes: Outcome[] = [];
  const refuse = async () => {
    throw new SendError('550 no such user; your text was 123456, https://app.test/?c=123456 or qwertyui=', { permanent: true });
  };
  const worker = start(
    { mail: refuse },
    { secrets: () => ['123456', 'asdfQWERTYUIOP'], settled: async (_tx, _m, outcome) => void outcomes.push(outcome) },
  );
  await put('r1', 'r');
  await worker.settled();
  now += 24 * 60 * 60 * 1000;
  await worker.settled();
  const said = '550 no such user; your text was ***, https://app.test/?c=*** or ***=';
  assert.deepEqual(outcomes, [{ failed: said, isOver: true, refused: true }]);
  const [dead] = await store.read.outbox.page('dead', 10);
  assert.equal(dead?.lastError, said);
  await store.transaction((tx) => tx.outbox.done('r1'));
});

test('a topic that nobody sends waits as long as it takes, and then leaves in order', async () => {
  const sent: string[] = [];
  const send: Send = async (m) => void sent.push(m.id);
  await put('f1', 'f');
  await put('f2', 'f');
  const others = start({ webhook: send });
  for (let i = 0; i < 20; i++) {
    await others.settled();
    now += 24 * 60 * 60 * 1000;
  }
  await put('f3', 'f', { topic: 'webhook' });
  await others.settled();
  assert.deepEqual(sent, ['f3'], 'a topic does not wait for another');
  await start({ mail: send }).settled();
  assert.deepEqual(sent, ['f3', 'f1', 'f2']);
});
