import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSmtpUrl } from '../../src/outbound/smtp-url.ts';

test('TLS is needed, but on this machine or where the operator says that it is not', () => {
  const of = (text: string) => {
    const { host, port, tls, auth } = parseSmtpUrl(text);
    return [host, port, tls, auth?.user];
  };
  assert.deepEqual(of('smtps://user:p%2Fw@mail.example.com'), ['mail.example.com', 465, 'implicit', 'user']);
  assert.deepEqual(of('smtp://user:pw@mail.example.com:2525/'), ['mail.example.com', 2525, 'starttls', 'user']);
  assert.deepEqual(of('smtp://mail.example.com'), ['mail.example.com', 587, 'starttls', undefined]);
  assert.deepEqual(of('smtp://mailpit:1025?tls=off'), ['mailpit', 1025, 'off', undefined]);
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) assert.equal(of(`smtp://u:p@${host}:25`)[2], 'off', host);
  assert.equal(of('smtp://localhost?tls=starttls')[2], 'starttls');
  assert.equal(parseSmtpUrl('smtps://user:p%2Fw@mail.example.com').auth?.pass, 'p/w');
});

test('a fault is named, without the password', () => {
  for (const [text, why] of [
    ['mail.example.com', /must be a URL/],
    ['http://mail.example.com', /must be a URL/],
    ['smtp://', /must be a URL/],
    ['smtps://user:hidden@mail.example.com/path', /nothing after its host/],
    ['smtps://user:hidden@mail.example.com?pool=true', /no parameter pool/],
    ['smtps://user:hidden@mail.example.com?tls=off', /no tls with smtps/],
    ['smtp://user:hidden@mail.example.com?tls=no', /accepts tls=off or tls=starttls/],
    ['smtp://user:hidden@mail.example.com?tls=off', /password unencrypted/],
    ['smtp://user@mail.example.com', /a user name, but no password/],
    ['smtp://:hidden@mail.example.com', /a password, but no user name/],
    ['smtp://user:%E0hidden@mail.example.com', /percent-encoded/],
  ] as const)
    assert.throws(
      () => parseSmtpUrl(text),
      (error: Error) => why.test(error.message) && !error.message.includes('hidden'),
      text,
    );
});
