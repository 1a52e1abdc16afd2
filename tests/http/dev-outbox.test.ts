import assert from 'node:assert/strict';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { devOutbox } from '../../src/outbound/dev-outbox.ts';
import { invitation } from '../activities/invitations/support.ts';
import { resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

const instance = await sharedInstance({ HOST: '0.0.0.0', DEV_OUTBOX: '1', CONSOLE: 'off' });
const { root } = instance;
const { port } = new URL(instance.url);

type Got = { status: number; headers: Record<string, unknown>; body: { messages: Record<string, string>[]; message: string } };

/** Asks with these headers alone, at an address of this machine. */
const ask = (headers: Record<string, string> = {}, host = '127.0.0.1', method = 'GET'): Promise<Got> =>
  new Promise((resolve, reject) => {
    const asking = request(
      { host, port, path: '/dev/outbox', method, headers: { host: `localhost:${port}`, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }),
        );
      },
    );
    asking.on('error', reject).end();
  });

test('messages are there as soon as the activity is answered, the newest first', async () => {
  const { userId } = instance.credentials;
  for (const name of ['First', 'Second'])
    resultOf(await root.submit('CREATE_INVITATIONS', { invitations: [invitation(name, userId)] }), 'createInvitationsResult');
  const { status, body, headers } = await ask();
  assert.equal(status, 200);
  const [newest] = body.messages;
  assert.deepEqual(Object.keys(newest!), ['id', 'channel', 'to', 'subject', 'text', 'html', 'at']);
  assert.deepEqual(
    body.messages.map(({ to }) => to),
    ['second@example.com', 'first@example.com'],
  );
  assert.deepEqual([newest!.channel, newest!.subject], ['email', 'Root user invites you to Root organization']);
  assert.match(newest!.at!, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.match(newest!.html!, /<!doctype html>/);
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['cache-control'], 'no-store');
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('access-control')),
    [],
  );
});

test('no page of another origin is allowed to ask', async () => {
  const { status, headers } = await fetch(`http://localhost:${port}/dev/outbox`, { method: 'OPTIONS' });
  assert.equal(status, 204);
  assert.equal(headers.get('allow'), 'GET, HEAD, OPTIONS');
  assert.deepEqual(
    [...headers.keys()].filter((name) => name.startsWith('access-control')),
    [],
  );
});

test('any name of this machine will do', async () => {
  for (const host of [
    'localhost',
    `LOCALHOST:${port}`,
    '127.0.0.1',
    `127.0.0.1:${port}`,
    '[::1]',
    `[::1]:${port}`,
    '127.1.2.3:1',
  ])
    assert.equal((await ask({ host })).status, 200, host);
});

test('a foreign Host is refused: a page of its own could have been led here', async () => {
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    'localhost@evil.example',
    '::1',
  ]) {
    const { status, body, headers } = await ask({ host });
    assert.equal(status, 403, host);
    assert.match(body.message, /its Host is not localhost/);
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
});

test('a request that a proxy passed on is refused', async () => {
  for (const name of ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'x-forwarded-anything']) {
    const { status, body } = await ask({ [name]: 'anything' });
    assert.equal(status, 403, name);
    assert.match(body.message, new RegExp(`a proxy forwarded it \\(${name.toLowerCase()}\\)`));
  }
});

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

test('another machine is refused', { skip: elsewhere === undefined && 'this machine has no address but its own' }, async () => {
  const { status, body } = await ask({}, elsewhere);
  assert.equal(status, 403);
  assert.match(body.message, /came from another machine/);
});

test('it takes GET and HEAD alone', async () => {
  assert.equal((await ask({}, '127.0.0.1', 'POST')).status, 405);
  assert.equal((await ask({}, '127.0.0.1', 'HEAD')).status, 200);
});

test('without DEV_OUTBOX there is none, and the start page does not speak of it', async () => {
  const silent = await sharedInstance({ DEV_OUTBOX: '0', CONSOLE: 'off' });
  assert.equal((await fetch(`${silent.url}/dev/outbox`)).status, 404);
  assert.ok(!(await (await fetch(silent.url)).text()).includes('/dev/outbox'));
  assert.match(await (await fetch(`http://127.0.0.1:${port}/`)).text(), /href="\/dev\/outbox"/);
});

test('it is bounded in number and in bytes, and the oldest go', async () => {
  const { mailer, messages } = devOutbox(() => 0);
  const letter = (to: string, text: string) =>
    mailer.send({ messageId: '<a>', from: { name: '', address: 'a@a.test' }, to, subject: 's', text, html: '' });
  for (let i = 0; i < 300; i++) await letter(`n${i}`, 'short');
  assert.deepEqual([messages().length, messages()[0]!.to, messages().at(-1)!.to], [200, 'n299', 'n100']);
  for (let i = 0; i < 20; i++) await letter(`large ${i}`, 'x'.repeat(2 ** 20));
  const kept = messages();
  assert.equal(kept[0]!.to, 'large 19');
  assert.ok(kept.length < 5, String(kept.length));
});

test('a code of an SMS is there as in mails', async () => {
  const { texter, messages } = devOutbox(() => 0);
  await texter.send({ id: '1', to: '+14155550100', text: 'Your OTP is 123456', code: '123456' });
  await texter.send({ id: '2', to: '+14155550100', text: 'Acme: your sign-in code: 123456', code: '123456' });
  assert.deepEqual(
    messages().map(({ channel, subject, text }) => [channel, subject, text]),
    [
      ['sms', '', 'Acme: your sign-in code: 123456'],
      ['sms', '', 'Your OTP is 123456\n\ncode: 123456'],
    ],
  );
});

test('it is never on unless it is said, and never beside what sends', async () => {
  for (const env of [{}, { DATABASE_URL: 'postgres://u:p@h/d' }, { DEV_OUTBOX: '0' }, { DEV_OUTBOX: '' }])
    assert.equal(readConfig(env).messages.devOutbox, false);
  assert.equal(
    readConfig({ DEV_OUTBOX: '1', DATABASE_URL: 'postgres://u:p@h/d', BASE_URL: 'https://a.example' }).messages.devOutbox,
    true,
  );
  assert.throws(
    () => readConfig({ DEV_OUTBOX: '1', SMTP_URL: 'smtps://a.example', MAIL_FROM: 'a@a.example' }),
    /DEV_OUTBOX=1 keeps messages.*unset it, or SMTP_URL/,
  );
  assert.throws(() => readConfig({ DEV_OUTBOX: 'yes' }), /DEV_OUTBOX must be 0 or 1 or auto/);
});
