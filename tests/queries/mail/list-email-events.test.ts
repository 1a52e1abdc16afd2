import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listEmailEvents } from '../../../src/queries/mail/list-email-events.ts';
import { invitation } from '../../activities/invitations/support.ts';
import { samples } from '../../support/all-samples.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedMail } from '../../support/mail.ts';
import { refusesEachQuery } from '../../support/refusals.ts';
import { badPagination } from '../support.ts';

const mail = await sharedMail();
const instance = await sharedInstance(mail.env);
const { root } = instance;

const sample = samples('list_email_events') as object;

type Event = { id: string; eventType: string; messageId: string; details: Record<string, string> };

async function eventsOf(email: string, more: object = {}, client: Client = root): Promise<Event[]> {
  const { status, body, text } = await client.query('list_email_events', { email, ...more });
  assert.equal(status, 200, text);
  assert.deepEqual(listEmailEvents.result.parse(body), body, 'the answer has its declared shape');
  return body.emailEvents;
}

/** An event is written once the mail server has answered, and so after the activity. */
async function eventually(email: string, count: number): Promise<Event[]> {
  for (;;) {
    const events = await eventsOf(email, { paginationOptions: { limit: '100' } });
    if (events.length >= count) return events;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const invite = async (name: string, client = root, senderUserId = instance.credentials.userId) =>
  resultOf(
    await client.submit('CREATE_INVITATIONS', { invitations: [invitation(name, senderUserId)] }),
    'createInvitationsResult',
  );

test('a mail that the server took, with its answer', async () => {
  await invite('Taken');
  const { messageId } = await mail.next('taken@example.com');
  const [event, ...more] = await eventually('Taken@Example.com', 1);
  assert.equal(more.length, 0);
  const { id: _, timestamp, createdAt, details, ...rest } = event as Event & { timestamp: string; createdAt: string };
  assert.deepEqual(rest, {
    organizationId: root.organizationId,
    messageId,
    eventType: 'Send',
    fromAddress: 'no-reply@service.test',
    toAddress: 'taken@example.com',
  });
  assert.match(details.deliverySmtpResponse!, /^250 /);
  assert.match(details.deliveryProcessingTimeMillis!, /^\d+$/);
  assert.equal(timestamp, createdAt);
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test('a mail that it refused for good, and one that it took later', async () => {
  mail.answer((to) => (to.startsWith('refused') ? 550 : to.startsWith('later') ? 451 : undefined));
  await invite('Refused');
  const [bounce, ...none] = await eventually('refused@example.com', 1);
  assert.deepEqual([bounce!.eventType, bounce!.details.bounceType, none.length], ['Bounce', 'Permanent', 0]);
  assert.match(bounce!.details.diagnosticCode!, /^550 /);
  const [dead] = await instance.raw(`SELECT state, payload, last_error AS error FROM outbox WHERE state = 'dead'`);
  assert.match(String(dead!.error), /550/);
  assert.ok(String(dead!.payload).startsWith('sealed:'), 'it can be sent by hand until its time is over');

  await invite('Later');
  assert.deepEqual(
    (await eventually('later@example.com', 1)).map(({ eventType }) => eventType),
    ['DeliveryDelay'],
  );
  mail.answer(undefined);
  instance.clock.advance(1_000);
  const { messageId } = await mail.next('later@example.com');
  const events = await eventually('later@example.com', 2);
  assert.deepEqual(
    events.map((event) => [event.eventType, event.messageId]),
    [
      ['Send', messageId],
      ['DeliveryDelay', messageId],
    ],
    'the newest first, and one mail has one id',
  );
  assert.match(events[1]!.details.diagnosticCode!, /451/);
  assert.deepEqual(
    (await eventsOf('later@example.com', { eventType: 'Send' })).map(({ id }) => id),
    [events[0]!.id],
  );
  assert.deepEqual(await eventsOf('later@example.com', { eventType: 'Delivery' }), []);
});

test('faults between the service and its mail server are for the operator alone', async () => {
  mail.answer(() => 530);
  await invite('Account');
  const [delay] = await eventually('account@example.com', 1);
  assert.deepEqual(
    [delay!.eventType, delay!.details.diagnosticCode],
    ['DeliveryDelay', 'the service could not use its mail server'],
  );
  const [row] = await instance.raw(`SELECT last_error AS error FROM outbox WHERE state = 'ready'`);
  assert.match(String(row!.error), /530/);
  mail.answer(undefined);
  instance.clock.advance(1_000);
  await mail.next('account@example.com');
});

test('pages by key, in both directions, with and without a type', async () => {
  const sub = await instance.newSubOrganization('Paged', 1, 1);
  for (let i = 0; i < 5; i++) await invite('Paged', sub.clients[0]!, sub.userIds[0]!);
  for (let i = 0; i < 5; i++) await mail.next('paged@example.com');
  const ask = (more: object, page: object) =>
    eventsOf('paged@example.com', { ...more, paginationOptions: page }, sub.clients[0]!);
  let all = await ask({}, { limit: '100' });
  while (all.length < 5) all = await ask({}, { limit: '100' });
  const ids = all.map(({ id }) => id);
  assert.deepEqual(ids, ids.toSorted().toReversed());
  for (const more of [{}, { eventType: '' }, { eventType: 'Send' }]) {
    const idsOf = async (page: object) => (await ask(more, page)).map(({ id }) => id);
    assert.deepEqual(await idsOf({ limit: '2' }), ids.slice(0, 2));
    assert.deepEqual(await idsOf({ limit: '2', after: ids[1] }), ids.slice(2, 4));
    assert.deepEqual(await idsOf({ limit: '2', before: ids[4] }), ids.slice(2, 4));
    assert.deepEqual(await idsOf({ limit: '9', after: ids[0], before: ids[4] }), ids.slice(1, 4));
  }
  assert.deepEqual(await eventsOf('paged@example.com'), [], 'the parent asks for its own');
  assert.equal((await eventsOf('paged@example.com', { organizationId: sub.organizationId })).length, 5, 'or for those below it');
});

test('bad parameters are named', () =>
  refusesEachQuery(instance.root, 'list_email_events', [
    [{ ...sample, email: 'nobody' }, 'email', /invalid email address/, 'INVALID_EMAIL'],
    ...badPagination.map(([more, field, text]) => [{ ...sample, ...more }, field, text] as [object, string, RegExp]),
  ]));
