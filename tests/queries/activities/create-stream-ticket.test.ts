import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStreamTicket } from '../../../src/queries/activities/create-stream-ticket.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';

const { root, clock } = await sharedInstance();

test('a ticket is for a minute, and each one is another', async () => {
  const before = clock.now();
  const { status, body, text } = await root.query('create_stream_ticket', { subOrganizations: true });
  assert.equal(status, 200, text);
  assert.deepEqual(createStreamTicket.result.parse(body), body, 'the answer has its declared shape');
  const lasts = Number(body.expiresAt.seconds) * 1000 - before;
  assert.ok(lasts > 55_000 && lasts <= 61_000, `${lasts} ms`);
  const { body: other } = await root.query('create_stream_ticket', {});
  assert.notEqual(other.ticket, body.ticket);
});

test('bad parameters are named', () =>
  refusesEachQuery(root, 'create_stream_ticket', [[{ subOrganizations: 'yes' }, 'subOrganizations', /boolean/]]));
