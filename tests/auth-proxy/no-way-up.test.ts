import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { initiate, outboxOf, sealed, verifySealed } from '../activities/otp/support.ts';
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
