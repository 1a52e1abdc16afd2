import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NEVER } from '../../../../src/model/send.ts';
import type { NewDelivery, WebhookDelivery } from '../../../../src/model/webhook-delivery.ts';
import type { Writer } from '../../../../src/store/types.ts';
import { engineName } from '../../../support/database.ts';
import { idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { noting } from '../../ran.ts';
import { webhookDeliveryOf } from './webhook-rows.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

const write = <T>(work: (tx: Writer) => Promise<T>) => opened.store.transaction(work);
const attempt = {
  firstAttemptAt: NOW,
  lastAttemptAt: NOW,
  lastDurationMs: 7,
  lastStatusCode: 500,
  lastAnswer: 'no',
  lastError: 'HTTP 500',
};
const nothing = { lastError: '' };

const outcomeOf = (seen: WebhookDelivery, nextAt: number) =>
  ({ seen, status: 'PENDING', nextAt, endedAt: null, facts: attempt }) as const;
const retryAt = async (seen: WebhookDelivery, nextAt: number) =>
  (await write((tx) => tx.webhookDeliveries.note([outcomeOf(seen, nextAt)]))).has(seen.id);

/** The deliveries of one endpoint. Each is made at a time of its own: `NOW` and its position. */
function deliveriesOf(name: string) {
  const endpointId = idOf(name);
  const read = opened.store.read.webhookDeliveries;
  let position = 0;
  const made = (subject: string): NewDelivery => {
    position += 1;
    const id = `${name} ${position}`;
    return webhookDeliveryOf(org, id, { endpointId, position, subject, createdAt: NOW + position });
  };
  return {
    endpointId,
    add: (...subjects: string[]) => write((tx) => tx.webhookDeliveries.insert(subjects.map(made))),
    get: async (n: number) => (await read.get(org, idOf(`${name} ${n}`)))!,
    due: async (now = NOW + 1000, limit = 10) =>
      (await read.due(org, endpointId, now, limit)).map((one) => `${one.subject}${one.position}`),
    pending: async () => (await opened.store.read.webhookQueues.get(org, endpointId))!.pending,
  };
}

test(`of each subject only the first pending delivery is due, on ${engineName}`, async () => {
  const { add, get, due, pending } = deliveriesOf('ordered');
  await add('a', 'b', 'a');
  await add('a', 'c');
  assert.deepEqual(await due(), ['a1', 'b2', 'c5']);
  assert.deepEqual(await due(NOW + 2), ['a1', 'b2']);
  const first = await get(1);
  assert.equal(await retryAt(first, NOW + 5000), true);
  assert.deepEqual(await due(), ['b2', 'c5'], 'later ones of its subject wait with it');
  assert.equal(await write((tx) => tx.webhookDeliveries.end(first, 'DELIVERED', NOW, attempt)), false, 'it has changed since');
  const retried = await get(1);
  assert.deepEqual(retried, { ...first, ...attempt, attempts: 1, nextAt: NOW + 5000 });
  assert.equal(await write((tx) => tx.webhookDeliveries.end(retried, 'DEAD', NOW + 6000, attempt)), true);
  assert.deepEqual(await get(1), { ...retried, attempts: 2, status: 'DEAD', nextAt: null, endedAt: NOW + 6000 });
  assert.deepEqual(await due(), ['b2', 'a3', 'c5']);
  assert.equal(await pending(), 4);
});

test('a process claims healthy endpoints that had nothing to deliver, with their deliveries', async () => {
  const lease = { owner: 'one', leaseUntil: NOW + 30_000 };
  const healthy = { failures: 0, failingSince: null, noSuccessSince: null, pausedAt: null, mailedAt: null };
  const made = (name: string, n: number) =>
    webhookDeliveryOf(org, `${name} ${n}`, { endpointId: idOf(name), position: n, subject: `${n}`, createdAt: NOW });
  const queue = async (name: string) => (await opened.store.read.webhookQueues.get(org, idOf(name)))!;
  const insert = async (names: readonly string[], n: number, most = 10) => {
    const claim = { ...lease, most, may: (id: string) => id !== idOf('held') };
    const all = names.flatMap((name) => [made(name, n), made(name, n + 1)]);
    const claimed = await write((tx) => tx.webhookDeliveries.insert(all, claim));
    return Promise.all(
      claimed.map(async ({ queue: { endpointId, ...rest }, first }) => {
        assert.deepEqual(first, await opened.store.read.webhookDeliveries.get(org, first.id));
        assert.deepEqual(first.endpointId, endpointId);
        assert.deepEqual(rest, { ...healthy, organizationId: org, pending: 2, ...lease, nextAt: lease.leaseUntil });
        return names.find((name) => idOf(name) === endpointId);
      }),
    );
  };
  assert.deepEqual(await insert(['idle', 'held'], 1), ['idle']);
  assert.deepEqual([(await queue('idle')).owner, (await queue('held')).owner], ['one', '']);
  assert.deepEqual(await insert(['idle', 'held'], 3), [], 'deliveries wait already');
  assert.equal((await insert(['x', 'y', 'z'], 1, 2)).length, 2, 'there is no more room');
  const done = async (name: string, more: object) => {
    const endpoint = await queue(name);
    await write((tx) => tx.webhookQueues.settle([{ ...endpoint, pending: 0, owner: '', leaseUntil: 0, nextAt: NEVER, ...more }]));
  };
  await done('idle', { failures: 1, failingSince: NOW });
  assert.deepEqual(await insert(['idle'], 5), [], 'it fails');
  await done('idle', { failures: 0, failingSince: null, owner: 'two', leaseUntil: NOW + 1 });
  assert.deepEqual(await insert(['idle'], 7), [], 'another process has it');
  await done('idle', { failures: 0, failingSince: null });
  assert.deepEqual(await insert(['idle'], 9), ['idle']);
  const { owner, leaseUntil, nextAt } = await queue('idle');
  assert.deepEqual({ owner, leaseUntil, nextAt }, { ...lease, nextAt: lease.leaseUntil }, 'nothing else is due before');
});

test('a delivery that is sent again is due at once, and holds back none of its subject', async () => {
  const { add, get, due, pending } = deliveriesOf('again');
  await add('a', 'a', 'a');
  const end = async (n: number) => {
    const seen = await get(n);
    assert.ok(await write((tx) => tx.webhookDeliveries.end(seen, 'DELIVERED', NOW, nothing)));
  };
  await end(1);
  assert.equal(await write((tx) => tx.webhookDeliveries.resend(org, idOf('again 2'), NOW)), false, 'it has not ended');
  assert.equal(await write((tx) => tx.webhookDeliveries.resend(idOf('other'), idOf('again 1'), NOW)), false);
  assert.equal(await write((tx) => tx.webhookDeliveries.resend(org, idOf('again 1'), NOW + 7)), true);
  const repeated = `again ${idOf('again 1')} a1`;
  assert.deepEqual([await due(), await pending()], [['a2', repeated], 3]);
  await end(2);
  assert.deepEqual(await due(), ['a3', repeated]);
  await end(3);
  await add('a');
  assert.deepEqual(await due(), ['a4', repeated].toSorted(), 'a new event does not wait for it');
  await end(1);
  assert.deepEqual([await due(), await pending()], [['a4'], 1]);
});

test('retries are made due some at a time, and those after 429 only if their endpoint was changed since', async () => {
  const { add, get, due, endpointId } = deliveriesOf('hastened');
  await add('a', 'b', 'c', 'd', 'e', 'f');
  await write(async (tx) => {
    // Five are due at one time, of which the third was told to wait.
    const outcomes = [];
    for (let n = 1; n <= 6; n++) {
      const facts = { ...attempt, lastStatusCode: n === 3 ? 429 : 500 };
      outcomes.push({ ...outcomeOf(await get(n), n === 6 ? NOW + 9000 : NOW + 5000), facts });
    }
    await tx.webhookDeliveries.note(outcomes);
  });
  const key = { organizationId: org, endpointId };
  const hastened = async (changedAt: number) => {
    const numbers = [(await due()).length];
    for (let after: number | undefined = NOW + 1000; after !== undefined; ) {
      const from: number = after;
      after = await write((tx) => tx.webhookDeliveries.hasten(key, { now: NOW + 1000, after: from, changedAt, limit: 2 }));
      numbers.push((await due()).length);
    }
    return numbers;
  };
  const numbers = await hastened(NOW);
  assert.deepEqual([numbers[0], numbers.at(-1)], [0, 5]);
  assert.ok(numbers.every((number, i) => number <= (numbers[i - 1] ?? 0) + 2));
  assert.deepEqual((await due()).includes('c3'), false);
  assert.deepEqual(await hastened(NOW + 1), [5, 6]);
});

test('the least tried delivery is found however many were tried and are due before it', async () => {
  const { add, get, endpointId } = deliveriesOf('tried');
  const least = async () => (await opened.store.read.webhookDeliveries.leastTried(org, endpointId, NOW + 1000))?.position;
  assert.equal(await least(), undefined);
  await add(...Array.from({ length: 300 }, (_, i) => `subject ${i}`));
  assert.equal(await least(), 45, 'the oldest of the newest 256');
  await write(async (tx) => {
    const outcomes = [];
    for (let n = 1; n <= 300; n++) outcomes.push(outcomeOf(await get(n), NOW + n));
    await tx.webhookDeliveries.note(outcomes);
  });
  await add('new');
  assert.equal(await least(), 301);
});

test(`a delivery that ends while the next one is added never leaves that one behind, on ${engineName}`, async () => {
  const { add, get, due } = deliveriesOf('races');
  for (let n = 1; n < 20; n += 2) {
    await add('a');
    const seen = await get(n);
    await Promise.all([add('a'), write((tx) => tx.webhookDeliveries.end(seen, 'DELIVERED', NOW, nothing))]);
    assert.deepEqual(await due(), [`a${n + 1}`]);
    const next = await get(n + 1);
    await write((tx) => tx.webhookDeliveries.end(next, 'DELIVERED', NOW, nothing));
  }
});

test('pages are newest first, by endpoint and status', async () => {
  const { add, get, endpointId } = deliveriesOf('paged');
  await add('a', 'b', 'c');
  const second = await get(2);
  await write((tx) => tx.webhookDeliveries.end(second, 'DEAD', NOW, nothing));
  const ids = [1, 2, 3].map((n) => idOf(`paged ${n}`)).sort();
  const page = async (filter: object, more: object = {}) =>
    (await opened.store.read.webhookDeliveries.page(org, filter, { limit: 2, ...more })).map(({ id }) => id);
  assert.deepEqual(await page({ endpointId }), [ids[2], ids[1]]);
  assert.deepEqual(await page({ endpointId }, { after: ids[1] }), [ids[0]]);
  assert.deepEqual(await page({ endpointId }, { before: ids[0] }), [ids[2], ids[1]]);
  assert.deepEqual(await page({ endpointId, status: 'DEAD' }), [second.id]);
  assert.ok((await page({ status: 'DEAD' })).includes(second.id));
});

test('deliveries that ended long ago are swept, and pending ones stay', async () => {
  const { add, get } = deliveriesOf('swept');
  await add('a', 'b', 'c');
  for (const [n, at] of [
    [1, NOW - 5000],
    [2, NOW - 4000],
  ] as const) {
    const seen = await get(n);
    await write((tx) => tx.webhookDeliveries.end(seen, 'DEAD', at, nothing));
  }
  assert.equal(await write((tx) => tx.webhookDeliveries.sweep(NOW - 4000, 10)), false);
  assert.deepEqual([await get(1), (await get(2))?.status, (await get(3))?.status], [undefined, 'DEAD', 'PENDING']);
  const more = deliveriesOf('swept later');
  await more.add('a', 'b', 'c', 'd');
  for (const n of [1, 2, 3, 4]) {
    const seen = await more.get(n);
    await write((tx) => tx.webhookDeliveries.end(seen, 'DEAD', NOW - 6000 + n, nothing));
  }
  const { store, ran, close } = await noting(opened);
  assert.equal(await store.transaction((tx) => tx.webhookDeliveries.sweep(NOW - 5000, 3)), true);
  await close();
  assert.equal(ran.length, engineName === 'postgres' ? 2 : 0);
  assert.deepEqual([await more.get(3), (await more.get(4)).status], [undefined, 'DEAD']);
});
