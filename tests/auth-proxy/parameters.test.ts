import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { z } from 'zod';
import { proxyEndpoints } from '../../src/auth-proxy/index.ts';
import { enabledProxy, type TestProxy } from '../support/auth-proxy.ts';
import { newKeys } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY, refused } from '../support/refusals.ts';

const instance = await sharedInstance();
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(instance.root);
});

const { publicKey } = newKeys();
const signature = { publicKey, scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256', message: '{}', signature: '00'.repeat(64) };
const person = { apiKeys: [], authenticators: [], oauthProviders: [] };

/** A body with every member that is required, each well formed. */
const WELL_FORMED: Readonly<Record<string, object>> = {
  account: { filterType: 'NAME', filterValue: 'x' },
  otp_init: { otpType: 'OTP_TYPE_EMAIL', contact: 'wrong@example.com' },
  otp_init_v2: { otpType: 'OTP_TYPE_EMAIL', contact: 'wrong@example.com' },
  otp_verify: { otpId: NOBODY, otpCode: '123456' },
  otp_verify_v2: { otpId: NOBODY, encryptedOtpBundle: '{}' },
  otp_login: { verificationToken: 'a.b.c', publicKey },
  otp_login_v2: { verificationToken: 'a.b.c', publicKey, clientSignature: signature },
  oauth_login: { oidcToken: 'a.b.c', publicKey },
  oauth2_authenticate: {
    provider: 'OAUTH2_PROVIDER_X',
    authCode: 'a',
    redirectUri: 'https://app.example.com',
    codeVerifier: 'b'.repeat(43),
    nonce: 'c',
    clientId: 'd',
  },
  signup: person,
  signup_v2: person,
  wallet_kit_config: {},
  wallet_kit_client_params: {},
};

type Described = { properties: Record<string, { type?: string }>; required?: string[] };

for (const { name, params } of proxyEndpoints)
  test(`${name}: each parameter that is missing or wrong is named`, async () => {
    const body = WELL_FORMED[name];
    assert.ok(body, 'give it a body here');
    const { properties, required = [] } = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' }) as unknown as Described;
    assert.deepEqual(Object.keys(body).sort(), required.toSorted());
    for (const [member, { type }] of Object.entries(properties)) {
      const wrong = type === 'object' ? 'a text' : { an: 'object' };
      const isOf = new RegExp(`(?:^|: |; )${member}`);
      refused(await proxy.ask(name, { ...body, [member]: wrong }), [400, 'REQUEST_INVALID', isOf], member);
      if (!required.includes(member)) continue;
      refused(await proxy.ask(name, { ...body, [member]: undefined }), [400, 'REQUEST_INVALID', isOf], member);
      refused(await proxy.ask(name, { ...body, [member]: null }), [400, 'REQUEST_INVALID', isOf], member);
    }
  });
