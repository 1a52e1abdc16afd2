import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ask, household, initiate, login, outboxOf, sealed, verifySealed } from '../activities/otp/support.ts';
import { newToken } from '../activities/tokens.ts';
import { attested } from '../support/attested.ts';
import { enabledProxy, type TestProxy } from '../support/auth-proxy.ts';
import { apiKey, newKeys, resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { codeIn } from '../support/mail.ts';
import { refused } from '../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;
const NONE = { apiKeys: [], authenticators: [], oauthProviders: [] };
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(root);
});

test('a code of the proxy makes nobody a user of the organization itself', async () => {
  const contact = 'administrator@example.com';
  const { userId } = instance.credentials;
  assert.equal((await root.submit('UPDATE_USER_EMAIL', { userId, userEmail: contact })).status, 200);
  const about = (await proxy.ask('otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact })).body;
  const code = codeIn((await outboxOf(root)).find(({ to }) => to === contact)!.text);
  const keys = newKeys();
  const { body } = await proxy.ask('otp_verify_v2', await sealed(root, code, about, keys.publicKey));
  const stranger = attested(root, keys, body);
  for (const answer of [
    await stranger.query('whoami'),
    await stranger.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(newKeys())] }),
    await stranger.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey }),
  ])
    refused(answer, [401, 'PUBLIC_KEY_NOT_FOUND', /./]);

  const bySub = { ...NONE, userEmail: contact, apiKeys: [apiKey(newKeys())] };
  const { organizationId } = (await proxy.ask('signup_v2', bySub)).body;
  const below = attested({ ...root, organizationId }, keys, body);
  assert.equal((await below.query('whoami')).body.organizationId, organizationId, 'it is for users of sub-organizations');

  const ours = await initiate(root, contact);
  const ourCode = codeIn((await outboxOf(root)).find(({ to }) => to === contact)!.text);
  const token = resultOf(await verifySealed(root, ourCode, ours, keys), 'verifyOtpResult');
  assert.equal(
    (await attested(root, keys, token).query('whoami')).body.userId,
    userId,
    'one that the organization asked for is for all',
  );
});

test('a code that was asked for or verified at the proxy logs nobody in to the organization itself', async () => {
  const contact = 'second-administrator@example.com';
  const { userId } = await instance.newUser('Second administrator', { userEmail: contact });
  const household = { ...NONE, userEmail: contact, apiKeys: [apiKey(newKeys())] };
  const { organizationId } = (await proxy.ask('signup_v2', household)).body;
  const below = root.as(root.keys, organizationId);
  const latest = async () => codeIn((await outboxOf(root)).find(({ to }) => to === contact)!.text);
  const byProxy = async () => (await proxy.ask('otp_init_v2', ask(contact))).body;
  for (const [askedAtProxy, verifiedAtProxy] of [
    [true, false],
    [false, true],
    [true, true],
    [false, false],
  ]) {
    const keys = newKeys();
    const about = askedAtProxy ? await byProxy() : await initiate(root, contact);
    const code = await latest();
    const { verificationToken } = verifiedAtProxy
      ? (await proxy.ask('otp_verify_v2', await sealed(root, code, about, keys.publicKey))).body
      : resultOf(await verifySealed(root, code, about, keys), 'verifyOtpResult');
    const answer = await root.submit('OTP_LOGIN_V2', login(verificationToken, keys, newKeys()));
    if (askedAtProxy || verifiedAtProxy) {
      refused(answer, [400, 'REQUEST_INVALID', /valid only in sub-organizations/], 'parameters.verificationToken');
      const more = { userId, apiKeys: [apiKey(newKeys())] };
      const stranger = attested(root, keys, { verificationToken });
      refused(await stranger.submit('CREATE_API_KEYS_V2', more), [401, 'PUBLIC_KEY_NOT_FOUND', /./]);
      resultOf(await below.submit('OTP_LOGIN_V2', login(verificationToken, keys, newKeys())), 'otpLoginResult');
    } else resultOf(answer, 'otpLoginResult');
  }
});

test('a contact that was never verified is found where its sub-organization is named, and the refusal says so to all alike', async () => {
  const contact = 'made-by-the-backend@example.com';
  const sub = await household(instance, { userEmail: contact });
  const tokenOf = (email: string) => {
    const keys = newKeys();
    return { keys, ...newToken(instance, email, keys) };
  };
  const texts = [contact, 'made-by-nobody@example.com'].map(async (email) => {
    const { keys, jwt: verificationToken } = tokenOf(email);
    const byParent = attested(root, keys, { verificationToken });
    const login = await byParent.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey });
    refused(login, [
      401,
      'PUBLIC_KEY_NOT_FOUND',
      /^could not find public key in organization or its parent organization: .* name the sub-organization, or sign up$/,
    ]);
    assert.equal((await byParent.query('whoami')).body.message, login.body.message);
    const atProxy = await proxy.ask('otp_login', { verificationToken, publicKey: newKeys().publicKey });
    refused(atProxy, [403, 'FORBIDDEN', /sign up first, or name the organization of an unverified contact$/]);
    return [login.text, atProxy.text];
  });
  const [known, unknown] = await Promise.all(texts);
  assert.deepEqual(known, unknown);

  const { keys, jwt: verificationToken } = tokenOf(contact);
  const named = attested(sub.own, keys, { verificationToken });
  resultOf(await named.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey }), 'stampLoginResult');
  const { body } = await attested(root, keys, { verificationToken }).query('whoami');
  assert.equal(body.userId, sub.userId, 'the login verified the contact');
});
