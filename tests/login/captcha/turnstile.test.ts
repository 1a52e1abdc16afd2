import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unreachable } from '../../../src/base/errors.ts';
import { turnstile } from '../../../src/login/captcha/turnstile.ts';
import { guardedCalls } from '../../../src/outbound/guard.ts';
import { sharedTurnstile } from '../../support/turnstile.ts';

const service = await sharedTurnstile();
const silent = { info() {}, warn() {}, error() {} };

const settings = (more: object = {}) => ({
  siteKey: service.env.TURNSTILE_SITE_KEY!,
  secretKey: service.env.TURNSTILE_SECRET_KEY!,
  baseUrl: service.url,
  hostnames: [],
  action: undefined,
  ...more,
});

const port = (more: object = {}, bounds: object = {}) =>
  turnstile(settings(more), guardedCalls({ allowed: new Set([service.env.OUTBOUND_ALLOW!]), bounds }), silent);

const question = (token: string, payer = 'payer') => ({ token, address: undefined, id: 'one', payer });

test('a client that fills the places is not let through: the others come again', async () => {
  let end = () => {};
  const asked = new Promise<void>((resolve) =>
    service.answer((_request, response) => {
      end = () => response.writeHead(200).end('{"success":true}');
      resolve();
    }),
  );
  const { verify } = port({}, { all: 1, payer: 1, host: 1, payerAtHost: 1 });
  const first = verify(question('the-first-of-two-tokens'));
  await asked;
  await assert.rejects(verify(question('the-second-of-two-tokens', 'another')), Unreachable);
  end();
  assert.equal(await first, 'passed');
  service.answer(undefined);
});

test('an error of theirs is asked about again, under the same id', async () => {
  const token = service.token();
  const { length } = service.asked;
  let failures = 0;
  service.answer((_request, response) => {
    service.answer(undefined);
    failures++;
    response.writeHead(503).end();
  });
  assert.equal(await port().verify(question(token)), 'passed');
  assert.deepEqual([failures, service.asked.slice(length).map((one) => one.idempotency_key)], [1, ['one']]);
  assert.equal(await port().verify(question(token)), 'passed', 'a repetition counts once');
  assert.equal(await port().verify({ ...question(token), id: 'two' }), 'failed');
});

test('the action of the widget, where one is configured', async () => {
  const { verify } = port({ action: 'sign-up' });
  assert.equal(await verify(question(service.token())), 'failed');
  assert.equal(await verify(question(service.token({ action: 'sign-up' }))), 'passed');
});

test('a forbidden address admits no request, and one that does not answer admits all', async () => {
  assert.equal(await port({ baseUrl: 'http://127.0.0.1:9' }).verify(question(service.token())), 'failed');
  service.answer((request) => request.socket.destroy());
  assert.equal(await port().verify(question(service.token())), 'unreachable');
  service.answer(undefined);
});
