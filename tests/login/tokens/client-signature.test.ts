import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSignedBy, readUsage } from '../../../src/login/tokens/client-signature.ts';
import { newKeys } from '../../support/client.ts';
import { rounds } from '../../support/full.ts';
import { seeded } from '../../support/seeded.ts';
import { signedBy } from './support.ts';

const KEY = '02f739f8c77b32f4d5f13265861febd76e7a9c61a1140d296b8c16302508870316';
const ID = '00000000-0000-4000-8000-000000000003';
const scheme = 'CLIENT_SIGNATURE_SCHEME_API_P256';
const keys = newKeys();
const message = JSON.stringify({ login: { publicKey: KEY }, tokenId: ID, type: 'USAGE_TYPE_LOGIN' });

/** Of RFC 6979, made apart from this program. */
const SIGNATURE =
  '40ca6725d0ba35c779daa623a0ee496a576e7142542c5919c9fa5e4dc5b454051df83aca74b45dfe585c864ba2cefb4eb49ce5bd801a3e78d7d97746d905e5c9';

test('the signature of a known key', async () => {
  const given = { publicKey: KEY, scheme, message, signature: SIGNATURE };
  assert.ok(await isSignedBy(KEY, given));
  assert.ok(await isSignedBy(KEY, { ...given, publicKey: KEY.toUpperCase(), signature: SIGNATURE.toUpperCase() }));
  for (const other of [
    { publicKey: keys.publicKey },
    { publicKey: '' },
    { scheme: 'CLIENT_SIGNATURE_SCHEME_API_ED25519' },
    { message: `${message} ` },
    { message: message.replace('LOGIN', 'SIGNUP') },
    { signature: `${SIGNATURE}00` },
    { signature: SIGNATURE.slice(2) },
    { signature: '' },
    { signature: 'zz'.repeat(64) },
    { signature: '00'.repeat(64) },
  ])
    assert.ok(!(await isSignedBy(KEY, { ...given, ...other })), JSON.stringify(other));
  assert.ok(!(await isSignedBy(keys.publicKey, given)));
});

test('r ‖ s and DER, with any s', async () => {
  for (let i = 0; i < 40; i++)
    for (const form of ['raw', 'der'] as const) {
      const given = { publicKey: keys.publicKey, scheme, message, signature: signedBy(keys, message, form) };
      assert.ok(await isSignedBy(keys.publicKey, given), `${form} ${given.signature}`);
    }
});

test('a message is read whatever the order of its members, and null is absent', () => {
  const usage = { tokenId: ID, type: 'USAGE_TYPE_LOGIN', about: { publicKey: KEY } };
  assert.deepEqual(readUsage(message), usage);
  assert.deepEqual(
    readUsage(`{ "type":"USAGE_TYPE_LOGIN","signup":null,"tokenId":"${ID}","login":{"publicKey":"${KEY}","x":null}}`),
    usage,
  );
  const signup = { tokenId: ID, type: 'USAGE_TYPE_SIGNUP', about: { email: 'a@b.c' } };
  for (const member of ['signup', 'signupV2'])
    assert.deepEqual(readUsage(JSON.stringify({ ...signup, about: undefined, [member]: signup.about })), signup);
});

test('a text with other or more members is no message', () => {
  const base = { tokenId: ID, type: 'USAGE_TYPE_SIGNUP', signupV2: {} };
  assert.ok(readUsage(JSON.stringify(base)));
  for (const other of [
    { tokenId: 5 },
    { tokenId: undefined },
    { type: 'USAGE_TYPE_LOGIN' },
    { type: 'toString' },
    { type: undefined },
    { login: { publicKey: KEY } },
    { signup: {} },
    { signupV2: [] },
    { signupV2: 'x' },
    { signupV2: undefined },
    { more: 1 },
  ])
    assert.equal(readUsage(JSON.stringify({ ...base, ...other })), undefined, JSON.stringify(other));
  const text = JSON.stringify(base);
  for (const other of [
    '',
    '[]',
    'null',
    '1',
    `${text}x`,
    text.replace('{', '{"tokenId":"x",'),
    text.replace('{}', '{"__proto__":{}}'),
    '['.repeat(10_000),
  ])
    assert.equal(readUsage(other), undefined, other.slice(0, 80));
});

test('no message and no signature whatever make an exception', async () => {
  const next = seeded(41);
  const alphabet = '{}[]",:0123456789abcdefABCDEFntu\\ "é\ud800';
  const noise = (from: string) => {
    const at = next(from.length + 1);
    return `${from.slice(0, at)}${alphabet[next(alphabet.length)]}${from.slice(at + next(3))}`;
  };
  for (let i = 0; i < rounds(3_000); i++) {
    readUsage(noise(noise(message)));
    const given = { publicKey: keys.publicKey, scheme, message, signature: signedBy(keys, message, i % 2 ? 'der' : 'raw') };
    if (i < 500) {
      const signature = noise(given.signature);
      if (signature.toLowerCase() !== given.signature)
        assert.ok(!(await isSignedBy(keys.publicKey, { ...given, signature })), signature);
      const publicKey = noise(keys.publicKey);
      if (publicKey.toLowerCase() !== keys.publicKey)
        assert.ok(!(await isSignedBy(keys.publicKey, { ...given, publicKey })), publicKey);
    }
  }
});
