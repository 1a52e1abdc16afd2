import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { Busy } from '../../../src/base/errors.ts';
import type { Client } from '../../support/client.ts';
import { startInstance } from '../../support/instance.ts';
import { openStream as opened, readStream, STREAM, ticketOf } from '../../support/streams.ts';
import { waitFor } from '../../support/wait.ts';

const instance = await startInstance();
after(() => instance.close());
const { root, url, clock, engine } = instance;
const MINUTE = 60_000;

/** Returns the id of an activity that completed. */
async function act(client: Client = root): Promise<string> {
  const { status, body, text } = await client.submit('CREATE_USER_TAG', { userTagName: `tag ${performance.now()}`, userIds: [] });
  assert.equal(status, 200, text);
  return body.activity.id;
}

/** Opens a stream when all that happened before was told: the events of the last moment would come first. */
async function openStream(...[to, client, wish]: Parameters<typeof opened>) {
  await waitFor('the events before', async () => (await engine.store.read.webhookEvents.waiting(1)).length === 0);
  return opened(to, client, wish);
}

const asked = (ticket: string, headers: Record<string, string> = {}) =>
  fetch(url + STREAM, { headers: { authorization: `Bearer ${ticket}`, ...headers } });

test('a stream tells what happens from its beginning on, as a list shows it', async () => {
  await act();
  const stream = await openStream(url, root);
  assert.equal(stream.messages[0]!.event, 'ready');
  const ids = [await act(), await act()];
  await waitFor('both activities', () => stream.activities().length === 2);
  assert.deepEqual(stream.activities(), ids);
  const { body } = await root.query('list_activities', { paginationOptions: { limit: '1' } });
  const told = JSON.parse(stream.messages.at(-1)!.data);
  assert.deepEqual(told, { ...body.activities[0], canApprove: false, canReject: false });
  for (const [name, value] of [
    ['content-type', 'text/event-stream'],
    ['cache-control', 'no-store, no-transform'],
    ['x-accel-buffering', 'no'],
    ['access-control-allow-origin', '*'],
  ] as const)
    assert.equal(stream.headers.get(name), value);
  stream.close();
});

test('a database that fails for a moment ends no stream', async (t) => {
  const stream = await openStream(url, root);
  const { streams } = engine.store.read;
  const read = streams.after;
  let failures = 2;
  t.mock.method(streams, 'after', (...args: Parameters<typeof read>) => {
    if (failures-- > 0) throw new Error('the database restarts');
    return read.apply(streams, args);
  });
  const id = await act();
  await waitFor('the activity', () => stream.activities().length === 1);
  assert.deepEqual(stream.activities(), [id]);
  assert.ok(failures < 0);
  stream.close();
});

test('a ticket opens one stream, within a minute', async () => {
  const ticket = await ticketOf(root);
  const [first, second] = await Promise.all([asked(ticket), asked(ticket)]);
  assert.deepEqual([first.status, second.status].sort(), [200, 401]);
  const refusal = await [first, second].find(({ status }) => status === 401)!.json();
  assert.match(refusal.message, /already used: ask for a new one with query\/create_stream_ticket/);
  await [first, second].find(({ status }) => status === 200)!.body!.cancel();
  const late = await ticketOf(root);
  clock.advance(MINUTE + 1);
  const answer = await asked(late);
  assert.equal(answer.status, 401);
  assert.match((await answer.json()).message, /has expired/);
});

test('a stream that could not begin leaves its ticket usable', async (t) => {
  const ticket = await ticketOf(root);
  t.mock.method(engine.store, 'earlierEnded', () => Promise.reject(new Busy('the database restarts')), { times: 1 });
  assert.equal((await asked(ticket)).status, 503);
  const answer = await asked(ticket);
  assert.equal(answer.status, 200);
  await answer.body!.cancel();
});

test('a ticket is whole, and of this service', async () => {
  const other = await instance.newSubOrganization('Forged', 1, 1);
  const ticket = await ticketOf(root);
  const forged = [
    undefined,
    'Bearer x',
    `Bearer ${ticket.slice(0, -2)}${ticket.endsWith('AA') ? 'BB' : 'AA'}`,
    `Bearer ${ticket.replace(root.organizationId, other.organizationId)}`,
  ];
  for (const authorization of forged) {
    const answer = await fetch(url + STREAM, { headers: authorization === undefined ? {} : { authorization } });
    assert.equal(answer.status, 401, authorization);
    assert.match((await answer.json()).message, /ask for a new one with query\/create_stream_ticket/);
  }
  const stream = await asked(ticket);
  assert.equal(stream.status, 200, 'the forged ones did not use it up');
  await stream.body!.cancel();
});

test('a page’s EventSource names the ticket and the last id in the address', async () => {
  const first = await openStream(url, root);
  const id = await act();
  const { id: lastEventId } = first.messages[0]!;
  first.close();
  const query = new URLSearchParams({ ticket: await ticketOf(root), lastEventId });
  const second = await readStream(`${url}${STREAM}?${query}`, {});
  await second.message('activity');
  assert.deepEqual(second.activities(), [id]);
  second.close();
  const preflight = await fetch(url + STREAM, { method: 'OPTIONS' });
  assert.match(preflight.headers.get('access-control-allow-headers')!, /Authorization, Last-Event-ID/);
});

test('other methods open nothing', async () => {
  const ticket = await ticketOf(root);
  const headers = { authorization: `Bearer ${ticket}` };
  for (const method of ['HEAD', 'POST']) assert.equal((await fetch(url + STREAM, { method, headers })).status, 405, method);
  const stream = await asked(ticket);
  assert.equal(stream.status, 200);
  await stream.body!.cancel();
});

test('sub-organizations’ activities come where the ticket asks for them', async () => {
  const below = await instance.newSubOrganization('Below', 1, 1);
  const own = await openStream(url, root);
  const whole = await openStream(url, root, { subOrganizations: true });
  const inside = await openStream(url, below.clients[0]!);
  const fromAbove = await openStream(url, root.as(root.keys, below.organizationId));
  const ids = [await act(below.clients[0]!), await act()];
  await waitFor('both activities', () => whole.activities().length === 2);
  assert.deepEqual(whole.activities(), ids);
  await own.message('activity');
  assert.deepEqual(own.activities(), [ids[1]]);
  for (const stream of [inside, fromAbove]) {
    await stream.message('activity');
    assert.deepEqual(stream.activities(), [ids[0]]);
  }
  const strange = await openStream(url, root, { lastId: inside.lastId() });
  assert.equal(strange.messages[0]!.event, 'reset', 'the id is of another organization');
  for (const stream of [own, whole, inside, fromAbove, strange]) stream.close();
});

test('a resumed stream misses nothing and tells nothing twice, from every position', async () => {
  const first = await openStream(url, root);
  const ids = [await act(), await act(), await act(), await act()];
  await waitFor('all', () => first.activities().length === ids.length);
  const positions = first.messages.map(({ id }) => id);
  first.close();
  for (const [i, lastId] of positions.entries()) {
    const resumed = await openStream(url, root, { lastId });
    await waitFor('the rest', () => resumed.activities().length >= ids.length - i);
    assert.deepEqual(resumed.activities(), ids.slice(i));
    resumed.close();
  }
});

test('a stream is resumed after almost a day, when older events are removed', async () => {
  const first = await openStream(url, root);
  await act();
  await first.message('activity');
  clock.advance(40 * MINUTE);
  const second = await openStream(url, root, { lastId: first.lastId() });
  const lastId = second.lastId();
  second.close();
  const missed = await act();
  await waitFor('its place', async () => (await engine.store.read.webhookEvents.waiting(1)).length === 0);
  clock.advance((24 * 60 - 10) * MINUTE);
  await waitFor('the sweep', async () => (await instance.raw('SELECT 1 FROM stream_events')).length === 1);
  const resumed = await openStream(url, root, { lastId });
  await resumed.message('activity');
  assert.deepEqual([resumed.messages[0]!.event, resumed.activities()], ['ready', [missed]]);
  resumed.close();
});

test('an id that is too old, too new or unknown is reset', async () => {
  const first = await openStream(url, root);
  await act();
  await first.message('activity');
  const [{ id: ready }, { id: latest }] = [first.messages[0]!, first.messages.at(-1)!];
  first.close();
  const tooNew = latest.replace(/\d+$/, (n) => String(Number(n) + 1));
  for (const lastId of [tooNew, 'x', '5', `${latest}x`]) {
    const stream = await openStream(url, root, { lastId });
    assert.deepEqual(
      stream.messages.map(({ event, id }) => [event, id]),
      [['reset', latest]],
      lastId,
    );
    stream.close();
  }
  clock.advance(25 * 60 * MINUTE);
  const bodies = async () => Number((await instance.raw('SELECT count(*) AS n FROM webhook_events'))[0]!.n);
  await waitFor('the sweep', async () => (await bodies()) === 0);
  const late = await openStream(url, root, { lastId: ready });
  assert.equal(late.messages[0]!.event, 'reset');
  late.close();
});

test('without streams for a day, activities are events no longer', async () => {
  await waitFor('the lapse', async () => {
    clock.advance(25 * 60 * MINUTE);
    return (await engine.store.read.organizations.listeners(root.organizationId)) === 0;
  });
  await act();
  const stream = await openStream(url, root, {});
  const { id: lastId } = stream.messages[0]!;
  await act();
  await stream.message('activity');
  stream.close();
  const before = lastId.replace(/\d+$/, (n) => String(Number(n) - 1));
  const resumed = await openStream(url, root, { lastId: before });
  assert.equal(resumed.messages[0]!.event, 'reset', 'nothing was recorded between');
  resumed.close();
});

test('a stream ends after fifteen minutes', async () => {
  const stream = await openStream(url, root);
  clock.advance(15 * MINUTE);
  assert.deepEqual(JSON.parse((await stream.message('end')).data), { reason: 'time' });
  await waitFor('the end', () => !stream.isOpen());
});

test('a user has five streams at most, and gets the place of one that ended', async () => {
  const { client } = await instance.newUser('Watches');
  const streams = [];
  for (let i = 0; i < 5; i++) streams.push(await openStream(url, client));
  const ticket = await ticketOf(client);
  const refused = await asked(ticket);
  assert.equal(refused.status, 429);
  assert.match((await refused.json()).message, /this user already has 5 open streams: end one of them/);
  streams[0]!.close();
  const sixth = await waitFor('its place', async () => {
    const answer = await asked(ticket);
    if (answer.status === 200) return answer;
    await answer.body!.cancel();
  });
  await sixth.body!.cancel();
  for (const stream of streams) stream.close();
});

test('a client that does not read is dropped, and others go on', async () => {
  const stream = await openStream(url, root);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(`GET ${STREAM} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await ticketOf(root)}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  const body = Buffer.from(JSON.stringify({ id: 'large', text: 'x'.repeat(1_000_000) }));
  const event = { organizationId: root.organizationId, parentId: null, eventType: 'ACTIVITY_UPDATES' as const, subject: 'large' };
  await engine.store.transaction(async (tx) => {
    for (let i = 0; i < 30; i++)
      await tx.webhookEvents.insert({ ...event, id: engine.ids.next(), filters: {}, body, createdAt: clock.now() });
  });
  await waitFor('the reader has all', () => stream.activities().length === 30);
  await waitFor('the drop', async () => /reason="slow"} 1/.test(await (await fetch(`${url}/metrics`)).text()), 200);
  socket.resume();
  await closed;
  const id = await act();
  await waitFor('the next activity', () => stream.activities().includes(id));
  stream.close();
});
