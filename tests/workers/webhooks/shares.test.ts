import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { WebhookEndpoint } from '../../../src/model/webhook.ts';
import type { SentEvent } from '../../../src/model/webhook-event.ts';
import { bodiesOf } from '../../../src/workers/webhooks/bodies.ts';
import { placesOf } from '../../../src/workers/webhooks/places.ts';
import { EMPTY, idOf } from '../../store/fixture.ts';
import { sharedInstance } from '../../support/instance.ts';
import { answers, startReceiver } from '../../support/receiver.ts';
import { waitFor } from '../../support/wait.ts';
import { record } from './support.ts';

const receiver = await startReceiver();
after(() => receiver.close());
const instance = await sharedInstance({ OUTBOUND_ALLOW: receiver.host });
const { engine } = instance;

const PAYERS = Array.from({ length: 10 }, (_, i) => `payer ${i}`);

/** All of them together have more endpoints than there are places. */
const MANY = 60;
/** Ten payers keep at least this many of 512 places busy. */
const TAKEN = 420;

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
  await engine.store.transaction(async (tx) => {
    for (const name of [...PAYERS, 'eleventh']) await tx.organizations.insert({ ...EMPTY, id: idOf(name) });
    for (const name of PAYERS) for (let i = 0; i < MANY; i++) await tx.webhookEndpoints.insert(endpoint(name, `${i}`, '/hang'));
    await tx.webhookEndpoints.insert(endpoint('eleventh', 'only', '/quick'));
  });
  for (const name of PAYERS) await record(engine, idOf(name), ['a']);
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
  assert.ok(hanging <= 64, `${hanging} requests`);
  receiver.behave('/below', answers(200));
  for (const end of ends) end();
});

test('a place is free for a payer without one, when ten payers took what they can', async () => {
  const places = placesOf({ all: 512, probes: 256, payer: 64 });
  for (const isProbe of [true, false]) for (const payer of PAYERS) while (places.more({ payer, isProbe }) !== undefined);
  for (const isProbe of [true, false]) assert.notEqual(await places.take({ payer: 'last', isProbe }), undefined);
});

test('the bodies of one payer leave room for those of others', async () => {
  const MIB = 1024 * 1024;
  const [id] = await record(engine, idOf('eleventh'), ['large'], MIB);
  const [row] = await instance.raw('SELECT position FROM webhook_events WHERE id = $1', id);
  const position = Number(row!.position);
  const bodies = bodiesOf(engine.store.read, 8 * MIB, 10);
  const used: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const use = (payer: string) =>
    bodies.with({ position, payer }, async (event) => {
      used.push(event === 'full' ? 'full' : payer);
      await ended;
    });
  const all = ['a', 'a', 'a', 'a', 'a'].map(use);
  await waitFor('the refusals', () => used.length === 5);
  assert.deepEqual(used.sort(), ['a', 'a', 'a', 'full', 'full']);
  all.push(use('b'));
  await waitFor('the other payer', () => used.at(-1) === 'b');
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
  const both = await Promise.all(['a', 'b'].map((payer) => bodies.with({ position, payer }, async (event) => event)));
  assert.deepEqual([both.map((event) => (event as SentEvent).id), reads], [[id, id], 1]);
});
