import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyEndpoints } from '../../src/auth-proxy/index.ts';
import { enabledProxy } from '../support/auth-proxy.ts';
import { newKeys, post, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { seeded } from '../support/seeded.ts';
import { sharedTurnstile } from '../support/turnstile.ts';

const turnstile = await sharedTurnstile();
const instance = await sharedInstance(turnstile.env);

const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 600);

const ODD: unknown[] = [
  ...[null, true, 0, -1, 1e308, 1.5, '', ' ', 'x'.repeat(300), 'x'.repeat(20_000), '\u0000', '𝒳', '\ud800', '0x', '0xzz', '-1'],
  ...[[], [[]], {}, [null], { a: { b: 1 } }, '__proto__', 'constructor', '99999999999999999999', '{}', '{"iss":1}', 'a.b.c'],
  ...['e30.e30.AAAA', '+14155550100', 'a@example.com', 'OTP_TYPE_SMS', '00000000-0000-7000-8000-000000000001', '*', 'null'],
];

/** Bodies that are right, or nearly, to be made wrong in one place or several. */
const BODIES: Readonly<Record<string, () => object>> = {
  account: () => ({ filterType: 'OIDC_CLAIMS', filterValue: '{"iss":"https://a","sub":"b","aud":"c"}' }),
  otp_init: () => ({ otpType: 'OTP_TYPE_EMAIL', contact: 'fuzz@example.com', emailCustomization: { templateId: '' } }),
  otp_verify: () => ({ otpId: '00000000-0000-7000-8000-000000000001', otpCode: '000000', publicKey: newKeys().publicKey }),
  otp_login: () => ({ verificationToken: 'a.b.c', publicKey: newKeys().publicKey, invalidateExisting: true }),
  oauth_login: () => ({ oidcToken: 'a.b.c', publicKey: newKeys().publicKey }),
  oauth2_authenticate: () => ({ provider: 'OAUTH2_PROVIDER_X', authCode: 'a', redirectUri: 'https://a', codeVerifier: 'b' }),
  signup: () => ({ ...userWith('Fuzz', [newKeys()]), wallet: { walletName: 'w', accounts: [] }, clientSignature: {} }),
};

test(`the auth proxy: ${ROUNDS} rounds find no unexpected error`, async () => {
  const random = seeded(20261122);
  const pick = <T>(items: readonly T[]): T => items[random(items.length)]!;
  const proxy = await enabledProxy(instance.root, { allowedOrigins: ['https://app.example.com'] });
  const statuses = new Map<number, number>();

  function spoil(value: unknown): unknown {
    if (random(6) === 0) return pick(ODD);
    if (Array.isArray(value)) return value.map(spoil);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, spoil(member)] as const);
    return Object.fromEntries(
      random(5) === 0 ? [...members, [pick(['constructor', 'organizationId', 'x']), pick(ODD)]] : members,
    );
  }

  for (let round = 0; round < ROUNDS; round++) {
    if (round % 100 === 0)
      await proxy.set({ captchaEnabled: round % 200 === 0, verificationTokenRequiredForGetAccountPii: true });
    const { path, name, params } = pick(proxyEndpoints);
    const base = BODIES[name.replace(/_v2$/, '')]?.() ?? {};
    const odd = Object.fromEntries(
      Object.keys((params as never as { shape: object }).shape).map((member) => [member, pick(ODD)]),
    );
    let body = JSON.stringify(spoil(random(4) === 0 ? odd : base));
    if (random(8) === 0)
      body = body.slice(0, random(body.length)) + pick(['"', '\\', '{', '\u0000', 'null']) + body.slice(random(9));
    const headers: Record<string, string> = { 'x-auth-proxy-config-id': proxy.configId };
    if (random(10) === 0) headers['x-auth-proxy-config-id'] = pick(['', 'x', '0'.repeat(36), '%00', '{}']);
    if (random(3) === 0) headers['x-captcha-token'] = pick(['', 'x', ' ', 'x'.repeat(3000), turnstile.token()]);
    if (random(5) === 0) headers.origin = pick(['', 'null', '*', 'https://app.example.com', 'x'.repeat(500), '\u00ff']);
    const answer = await post(`${instance.url}${path}`, Buffer.from(body), headers);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    assert.ok(answer.status < 500, `${answer.status} for ${path} ${body} → ${answer.text}`);
    const isError = Number.isInteger(answer.body.code) && answer.body.message && Array.isArray(answer.body.details);
    assert.ok(answer.status === 200 || isError, answer.text);
  }
  assert.ok((statuses.get(400) ?? 0) > ROUNDS / 4, JSON.stringify([...statuses]));
  assert.ok((statuses.get(200) ?? 0) > 0, JSON.stringify([...statuses]));
  assert.equal((await instance.root.query('whoami')).status, 200);
});
