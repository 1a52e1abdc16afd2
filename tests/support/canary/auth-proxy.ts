import { login, otherThan, sealed } from '../../activities/otp/support.ts';
import { signUpSignature } from '../../activities/tokens.ts';
import { enabledProxy, type TestProxy } from '../auth-proxy.ts';
import { apiKey, newKeys } from '../client.ts';
import { encryptedSecret } from '../oauth2.ts';
import { nonceOf } from '../published.ts';
import type { Flow } from './flows.ts';
import type { World } from './world.ts';

const NONE = { apiKeys: [] as object[], authenticators: [], oauthProviders: [] as object[] };
const EMAIL = 'OTP_TYPE_EMAIL';

/** What a page sends to the auth proxy, with a captcha token, and what it is told. */
function page({ secret, errors }: World, proxy: TestProxy) {
  let asked = 0;
  const ask = (name: string, body: object) => {
    const token = secret(`${name}: the captcha token`, `captcha-of-the-canary-${++asked}`);
    return proxy.ask(name, body, { 'x-captcha-token': token });
  };
  return {
    // biome-ignore lint/suspicious/noExplicitAny: results are looked into freely
    async done(name: string, body: object): Promise<any> {
      const answer = await ask(name, body);
      if (answer.status !== 200) throw new Error(`${name}: ${answer.text}`);
      return answer.body;
    },
    async fails(name: string, body: object): Promise<void> {
      const answer = await ask(name, body);
      if (answer.status === 200) throw new Error(`${name} was not refused: ${answer.text}`);
      errors.push(answer.text);
    },
  };
}

type Page = ReturnType<typeof page>;

/** A token for a contact, bound to a key. */
async function tokenOf(
  { root, mail, secret }: World,
  { done, fails }: Page,
  contact: string,
  publicKey: string,
): Promise<string> {
  const initiated = await done('otp_init_v2', { otpType: EMAIL, contact });
  const code = secret('otp_init_v2: the code', await mail.nextCode(contact));
  const guess = async (what: string, text: string) => {
    const body = await sealed(root, text, initiated, publicKey);
    secret(`otp_verify_v2: the ${what}`, JSON.parse(body.encryptedOtpBundle).ciphertext);
    return body;
  };
  const wrong = secret('otp_verify_v2: a wrong code', otherThan(code));
  await fails('otp_verify_v2', await guess('sealed wrong code', wrong));
  const { verificationToken } = await done('otp_verify_v2', await guess('sealed code', code));
  return secret('otp_verify_v2: the token', verificationToken);
}

async function byCodes(world: World, page: Page): Promise<void> {
  const { root, mail, secret, organizationIds } = world;
  const userEmail = 'page@example.com';
  const keys = newKeys();
  const token = await tokenOf(world, page, userEmail, keys.publicKey);
  const about = { apiKeys: [], authenticators: [], oauthProviders: [], email: userEmail };
  const tokenId = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).id;
  const signUp = { ...NONE, userEmail, verificationToken: token, clientSignature: signUpSignature(keys, tokenId, about) };
  const { organizationId } = await page.done('signup_v2', signUp);
  organizationIds.push(organizationId);
  await page.fails('signup_v2', signUp);
  await page.done('account', { filterType: 'EMAIL', filterValue: userEmail, verificationToken: token });
  const session = newKeys();
  await page.done('otp_login_v2', login(token, keys, session));
  const { status, text } = await root.as(session, organizationId).query('whoami');
  if (status !== 200) throw new Error(text);
  await page.fails('otp_login_v2', login(token, keys, newKeys()));

  const { otpId } = await page.done('otp_init', { otpType: EMAIL, contact: userEmail });
  const otpCode = secret('otp_init: the code', await mail.nextCode(userEmail));
  await page.fails('otp_verify', { otpId, otpCode: secret('otp_verify: a wrong code', otherThan(otpCode, 2)) });
  const { verificationToken } = await page.done('otp_verify', { otpId, otpCode });
  secret('otp_verify: the token', verificationToken);
  await page.done('otp_login', { verificationToken, publicKey: newKeys().publicKey });
  await page.fails('otp_login', { verificationToken, publicKey: newKeys().publicKey });
}

async function byAccounts({ root, secret, issuer, providers, done, organizationIds }: World, page: Page): Promise<void> {
  const idToken = (what: string, claims: object, header?: object): string =>
    secret(`${what}: the ID token`, issuer.signNow(claims, header));
  const signUp = (oidcToken: string) => ({ ...NONE, oauthProviders: [{ providerName: 'Issuer', oidcToken }] });
  const made = await page.done('signup', signUp(idToken('signup', { sub: 'page' })));
  organizationIds.push(made.organizationId);
  await page.fails('signup', signUp(idToken('signup', { sub: 'forged' }, { kid: 'unknown' })));
  await page.done('account', { filterType: 'OIDC_TOKEN', filterValue: idToken('account', { sub: 'page' }) });
  const { publicKey } = newKeys();
  const oidcToken = idToken('oauth_login', { sub: 'page', nonce: nonceOf(publicKey) });
  await page.done('oauth_login', { oidcToken, publicKey });
  await page.fails('oauth_login', { oidcToken, publicKey: newKeys().publicKey });

  const { clientId } = providers;
  const clientSecret = secret('the auth proxy: the client secret', providers.clientSecret);
  const credential = {
    provider: 'OAUTH2_PROVIDER_X',
    clientId,
    encryptedClientSecret: await encryptedSecret(root.url, clientSecret),
  };
  await done(root, 'CREATE_OAUTH2_CREDENTIAL', credential, 'createOauth2CredentialResult');
  const { authCode, codeVerifier, redirectUri } = providers.signIn('2');
  secret('oauth2_authenticate: the code', authCode);
  secret('oauth2_authenticate: the verifier', codeVerifier);
  const exchange = { provider: 'OAUTH2_PROVIDER_X', clientId, authCode, codeVerifier, redirectUri, nonce: nonceOf(publicKey) };
  const { oidcToken: own } = await page.done('oauth2_authenticate', exchange);
  secret('oauth2_authenticate: the ID token', own);
  for (const token of providers.bearers()) secret('oauth2_authenticate: the access token', token);
  await page.done('signup_v2', { ...signUp(own), apiKeys: [{ ...apiKey(newKeys()), expirationSeconds: '60' }] });
  await page.fails('oauth2_authenticate', exchange);
}

export const authProxy: Flow = {
  kinds: ['ENABLE_AUTH_PROXY'],
  async run(world) {
    const own = page(world, await enabledProxy(world.root));
    await byCodes(world, own);
    await byAccounts(world, own);
  },
};
