import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { WebhookEndpoint } from '../../../src/model/webhook.ts';
import type { SentEvent } from '../../../src/model/webhook-event.ts';
import { bodiesOf } from '../../../src/workers/webhooks/bodies.ts';
import { work } from '../../../src/workers/webhooks/line.ts';
import { placesOf } from '../../../src/workers/webhooks/places.ts';
import { receiversOf } from '../../../src/workers/webhooks/receivers.ts';
import { LEASE_MS } from '../../../src/workers/webhooks/round.ts';
import { EMPTY, idOf } from '../../store/fixture.ts';
import { storedDeliveryOf, webhookQueueOf } from '../../store/repositories/webhooks/webhook-rows.ts';
import { sharedInstance } from '../../support/instance.ts';
import { answers, startReceiver } from '../../support/receiver.ts';
import { waitFor } from '../../support/wait.ts';
import { record } from './support.ts';

const receiver = await startReceiver();
after(() => receiver.close());
const instance = await sharedInstance({ OUTBOUND_ALLOW: receiver.host });
const { engine } = instance;

const PAYERS = Array.from({ length: 10 }, (_, i) => `payer ${i}`);

/** All payers together have more endpoints than there are places. None of their ten organizations has its share. */
const BELOW = Array.from({ length: 10 }, (_, i) => i);
const EACH = 6;
/** Ten payers keep at least this many of 512 places busy. */
const TAKEN = 400;
/** More endpoints than an organization has places. */
const MANY = 60;

const endpoint = (organizationId: string, id: string, path: string): WebhookEndpoint => ({
  organizationId: idOf(organizationId),
  id: idOf(`${organizationId} ${id}`),
  url: `http://${receiver.host}${path}`,
  name: id,
  isActive: true,
  subscriptions: [{ eventType: 'ACTIVITY_UPDATES', isActive: true }],
  createdAt: 0,
  updatedAt: 0,
});

test('ten payers whose endpoints hang do not delay the deliveries of an eleventh', async () => {
  const hanging: (() => void)[] = [];
  receiver.behave('/hang', (response) => hanging.push(() => answers(200)(response, undefined as never)));
  const all = PAYERS.flatMap((payer) => BELOW.map((n) => [payer, `${payer} ${n}`] as const));
  await engine.store.transaction(async (tx) => {
    for (const name of [...PAYERS, 'eleventh']) await tx.organizations.insert({ ...EMPTY, id: idOf(name) });
    for (const [payer, name] of all) {
      await tx.organizations.insert({ ...EMPTY, id: idOf(name), parentId: idOf(payer) });
      for (let i = 0; i < EACH; i++) await tx.webhookEndpoints.insert(endpoint(name, `${i}`, '/hang'));
    }
    await tx.webhookEndpoints.insert(endpoint('eleventh', 'only', '/quick'));
  });
  for (const [, name] of all) await record(engine, idOf(name), ['a']);
  await waitFor('the hanging ones', () => hanging.length >= TAKEN);
  const began = performance.now();
  await record(engine, idOf('eleventh'), ['a', 'b', 'c']);
  await waitFor('the deliveries', () => receiver.taken('/quick').length === 3);
  const ms = performance.now() - began;
  receiver.behave('/hang', answers(200));
  for (const end of hanging) end();
  assert.ok(ms < 3000, `${ms} ms`);
});

test('endpoints of organizations below one share its places, also for events that their parent does not get', async () => {
  let hanging = 0;
  const ends: (() => void)[] = [];
  receiver.behave('/below', (response) => {
    hanging++;
    ends.push(() => answers(200)(response, undefined as never));
  });
  const below = ['below 1', 'below 2', 'below 3'];
  await engine.store.transaction(async (tx) => {
    await tx.organizations.insert({ ...EMPTY, id: idOf('above') });
    for (const name of below) await tx.organizations.insert({ ...EMPTY, id: idOf(name), parentId: idOf('above') });
    for (const name of below) for (let i = 0; i < MANY; i++) await tx.webhookEndpoints.insert(endpoint(name, `${i}`, '/below'));
  });
  const another = async () => {
    const taken = receiver.taken('/quick').length;
    await record(engine, idOf('eleventh'), ['d']);
    await waitFor('the delivery to another', () => receiver.taken('/quick').length === taken + 1);
  };
  // Nothing waits, so the endpoints are claimed with their deliveries.
  for (let i = 0; i < 3; i++) await another();
  await Promise.all(below.map((name) => record(engine, idOf(name), ['a'])));
  await waitFor('some of them', () => hanging >= MANY);
  for (let i = 0; i < 3; i++) await another();
  assert.ok(hanging <= 128, `${hanging} requests`);
  receiver.behave('/below', answers(200));
  for (const end of ends) end();
});

test('endpoints of one organization that hang leave places to its parent and to others below it', async () => {
  const ends: (() => void)[] = [];
  receiver.behave('/slow', (response) => ends.push(() => answers(200)(response, undefined as never)));
  await engine.store.transaction(async (tx) => {
    await tx.organizations.insert({ ...EMPTY, id: idOf('shared') });
    for (const name of ['slow', 'sibling']) await tx.organizations.insert({ ...EMPTY, id: idOf(name), parentId: idOf('shared') });
    // More than a payer has places.
    for (let i = 0; i < 150; i++) await tx.webhookEndpoints.insert(endpoint('slow', `${i}`, '/slow'));
    for (const name of ['shared', 'sibling']) await tx.webhookEndpoints.insert(endpoint(name, 'only', `/${name}`));
  });
  await record(engine, idOf('slow'), ['a']);
  await waitFor('its requests', () => ends.length >= 40);
  const began = performance.now();
  for (const name of ['shared', 'sibling']) {
    await record(engine, idOf(name), ['a', 'b', 'c']);
    await waitFor(`those of ${name}`, () => receiver.taken(`/${name}`).length === 3);
  }
  const ms = performance.now() - began;
  const most = ends.length;
  receiver.behave('/slow', answers(200));
  for (const end of ends) end();
  // Those that hang end after ten seconds.
  assert.ok(ms < 7000, `${ms} ms`);
  assert.ok(most <= 43, `${most} requests`);
});

const MOST = { all: 512, probes: 256, payer: 128, waiting: 128 };
const ofOne = (payer: string) => ({ organizationId: payer, payer });

test('a place is free for a payer without one, when ten payers took what they can', async () => {
  const places = placesOf(MOST);
  for (const isProbe of [true, false])
    for (const payer of PAYERS)
      for (const n of BELOW) while (places.more({ organizationId: `${payer} ${n}`, payer, isProbe }) !== undefined);
  for (const isProbe of [true, false]) assert.notEqual(await places.take({ ...ofOne('last'), isProbe }), undefined);
});

test('an organization that took what it can leaves places to another of its payer', () => {
  const places = placesOf(MOST);
  const taken = (organizationId: string) => {
    let n = 0;
    while (places.more({ organizationId, payer: 'payer', isProbe: false })) n++;
    return n;
  };
  assert.deepEqual([taken('one'), taken('one'), taken('two')], [43, 0, 29]);
});

test('endpoints that wait for their share get its next places in their order', async () => {
  const places = placesOf({ all: 12, probes: 6, payer: 6, waiting: 8 });
  const begun: string[] = [];
  const take = async (payer: string, name: string) => {
    const giveBack = await places.take({ ...ofOne(payer), isProbe: false });
    begun.push(giveBack === undefined ? `none for ${name}` : name);
    return giveBack;
  };
  const first = [await take('a', '1'), await take('a', '2')];
  assert.equal(places.more({ ...ofOne('a'), isProbe: false }), undefined);
  const [third, fourth] = [take('a', '3'), take('a', '4')];
  await take('a', '5');
  const other = await take('b', 'other');
  assert.deepEqual(begun, ['1', '2', 'none for 5', 'other']);
  first[0]!();
  const next = await third;
  assert.deepEqual(begun.slice(4), ['3']);
  for (const giveBack of [next, first[1]]) giveBack!();
  (await fourth)!();
  other!();
  assert.deepEqual(begun.slice(5), ['4']);
});

test('a place is free while the outcome of its request is recorded', async () => {
  const places = placesOf({ all: 1, probes: 1, payer: 1, waiting: 1 });
  const [id] = await record(engine, idOf('eleventh'), ['recorded']);
  const [row] = await instance.raw('SELECT position FROM webhook_events WHERE id = $1', id);
  const endpointId = idOf('eleventh only');
  const now = engine.clock.now();
  const delivery = storedDeliveryOf(idOf('eleventh'), 'recorded', { endpointId, position: Number(row!.position) });
  const wish = { ...ofOne(idOf('eleventh')), isProbe: false };
  const said = { lastAttemptAt: now, lastDurationMs: 1, lastStatusCode: 200, lastAnswer: '', lastError: '' };
  const isFree: boolean[] = [];
  const { store, clock, ids } = engine;
  await work(
    {
      ...{ store, clock, ids, owner: 'a test', chance: () => 0, places, bodies: bodiesOf(store.read) },
      receiver: receiversOf(store.read),
      attempt: async () => {
        isFree.push(places.more(wish) !== undefined);
        return { outcome: 'delivered', waitMs: 0, ...said };
      },
      settle: async () => {
        isFree.push(places.more(wish) !== undefined);
        return { isLost: true, isPaused: false };
      },
      isClosed: () => false,
      settled: () => {},
    },
    webhookQueueOf(idOf('eleventh'), { endpointId, owner: 'a test', leaseUntil: now + LEASE_MS }),
    delivery,
  );
  assert.deepEqual(isFree, [false, true]);
});

test('the bodies of one organization leave room for those of others, also of its payer', async () => {
  const MIB = 1024 * 1024;
  const [id] = await record(engine, idOf('eleventh'), ['large'], MIB);
  const [row] = await instance.raw('SELECT position FROM webhook_events WHERE id = $1', id);
  const position = Number(row!.position);
  const bodies = bodiesOf(engine.store.read, 8 * MIB, 10);
  const used: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const use = (payer: string, organizationId = payer) =>
    bodies.with({ position, payer, organizationId }, async (event) => {
      used.push(event === 'full' ? 'full' : organizationId);
      await ended;
    });
  const all = ['a', 'a', 'a', 'a', 'a'].map((payer) => use(payer));
  await waitFor('the refusals', () => used.length === 5);
  assert.deepEqual(used.sort(), ['a', 'a', 'full', 'full', 'full']);
  for (const [payer, organizationId] of [
    ['a', 'below a'],
    ['b', 'b'],
  ] as const) {
    all.push(use(payer, organizationId));
    await waitFor('the other one', () => used.at(-1) === organizationId);
  }
  end();
  await Promise.all(all);
});

test('the body of an event is read once for deliveries that begin together', async () => {
  const [id] = await record(engine, idOf('eleventh'), ['shared']);
  const [row] = await instance.raw('SELECT position FROM webhook_events WHERE id = $1', id);
  const position = Number(row!.position);
  let reads = 0;
  const sent = (asked: readonly number[]) => {
    reads++;
    return engine.store.read.webhookEvents.sent(asked);
  };
  const bodies = bodiesOf({ webhookEvents: { ...engine.store.read.webhookEvents, sent } });
  const both = await Promise.all(['a', 'b'].map((payer) => bodies.with({ position, ...ofOne(payer) }, async (event) => event)));
  assert.deepEqual([both.map((event) => (event as SentEvent).id), reads], [[id, id], 1]);
});
