/** The published browser client against the auth proxy, with its own keys, storage and stamps. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import type { MfaContext, v1SignRawPayloadResult } from '@turnkey/core';
import { encryptOtpCodeToBundle } from '@turnkey/crypto';
import { verifyMessage } from 'viem';
import { enabledProxy } from '../support/auth-proxy.ts';
import { ethereumAccount } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { sharedMail } from '../support/mail.ts';
import { sharedIssuer } from '../support/oidc.ts';
import { nonceOf, publishedKey } from '../support/published.ts';
import { type Core, newCore, published } from '../support/published-core.ts';

const { AuthAction, FilterType, getAuthProxyConfig, getClientSignatureMessageForLogin, OtpType } = published;
const mail = await sharedMail();
const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance({ ...mail.env, ...env });

const settings = { sessionExpirationSeconds: 1200, verificationTokenRequiredForGetAccountPii: true };
let configId: string;
let otpSigner: string;
before(async () => {
  ({ configId } = await enabledProxy(instance.root, settings));
  otpSigner = await publishedKey(instance.url, 'otp-signer');
});

const newPage = () => newCore(instance.url, instance.credentials.organizationId, configId);

/** Asks for a code, reads it in the mail and answers with it. */
async function verified(core: Core, contact: string): Promise<string> {
  const { otpId, otpEncryptionTargetBundle } = await core.initOtp({ otpType: OtpType.Email, contact });
  const code = await mail.nextCode(contact);
  const publicKey = await core.createApiKeyPair();
  const encryptedOtpBundle = await encryptOtpCodeToBundle(code, otpEncryptionTargetBundle, publicKey, otpSigner);
  return (await core.httpClient.proxyVerifyOtpV2({ otpId, encryptedOtpBundle })).verificationToken;
}

/** Makes a wallet if there is none, and signs with its account. Answers with whose it is. */
async function signs(core: Core) {
  if ((await core.fetchWallets()).length === 0)
    await core.createWallet({ walletName: 'Mine', accounts: ['ADDRESS_FORMAT_ETHEREUM'] });
  const [wallet] = await core.fetchWallets();
  const account = wallet!.accounts[0]!;
  const message = randomUUID();
  const { r, s, v }: v1SignRawPayloadResult = await core.signMessage({
    message,
    walletAccount: account,
    addEthereumPrefix: true,
  });
  const signature = `0x${r}${s}${(Number.parseInt(v, 16) + 27).toString(16)}` as const;
  assert.ok(await verifyMessage({ address: account.address as `0x${string}`, message, signature }));
  const { organizationId, userId } = (await core.getSession())!;
  return { organizationId, userId, address: account.address };
}

test('it reads what pages need to know', async () => {
  const config = await getAuthProxyConfig(configId, instance.url);
  assert.equal(config.organizationId, instance.credentials.organizationId);
  assert.equal(config.sessionExpirationSeconds, '1200');
  assert.deepEqual(await (await newPage()).getProxyAuthConfig(), config);
});

test('it signs up with a mailed code, signs, and logs in with another code', async () => {
  const core = await newPage();
  // Its way to read tokens knows no characters beyond those of plain base64.
  const contact = 'Ada~~~?@example.com';
  const verificationToken = await verified(core, contact);
  const account = { filterType: FilterType.Email, filterValue: contact, verificationToken };
  assert.deepEqual(await core.httpClient.proxyGetAccount(account), {});
  await core.signUpWithOtp({ verificationToken, contact, otpType: OtpType.Email });
  const user = await core.fetchUser();
  assert.deepEqual([user.userName, user.userEmail], [contact, contact]);
  const mine = await signs(core);
  assert.notEqual(mine.organizationId, instance.credentials.organizationId);
  await core.logout();

  const later = await newPage();
  const second = await verified(later, contact);
  const found = await later.httpClient.proxyGetAccount({ ...account, verificationToken: second });
  assert.equal(found.organizationId, mine.organizationId);
  // It names the parent, whose sub-organization the token shows.
  await later.loginWithOtp({ verificationToken: second });
  assert.deepEqual(await signs(later), mine);
});

test('it logs in with a code by the proxy, too, and uses the session', async () => {
  const core = await newPage();
  const contact = 'brook@example.com';
  await core.signUpWithOtp({ verificationToken: await verified(core, contact), contact, otpType: OtpType.Email });
  const mine = await signs(core);

  const later = await newPage();
  const verificationToken = await verified(later, contact);
  const { message, publicKey } = getClientSignatureMessageForLogin({ verificationToken });
  const signature = (await later.signWithApiKey({ message, publicKey }))!;
  const clientSignature = { publicKey, scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256' as const, message, signature };
  const { session } = await later.httpClient.proxyOtpLoginV2({ verificationToken, publicKey, clientSignature });
  await later.storeSession({ sessionToken: session });
  assert.deepEqual(await signs(later), mine);
});

test('its own verifyOtp refuses our key, unless a bundler puts it in; a wrong code is told in the words that it knows', async () => {
  const core = await newPage();
  const contact = 'cleo@example.com';
  const { otpId, otpEncryptionTargetBundle } = await core.initOtp({ otpType: OtpType.Email, contact });
  const code = await mail.nextCode(contact);
  const pinned = core.verifyOtp({ otpId, otpCode: code, otpEncryptionTargetBundle });
  await assert.rejects(pinned, ({ cause }) => /does not match signer key from bundle/.test(cause.message));
  const publicKey = await core.createApiKeyPair();
  const wrong = code.replace(/./, (first) => (first === '2' ? '3' : '2'));
  const encryptedOtpBundle = await encryptOtpCodeToBundle(wrong, otpEncryptionTargetBundle, publicKey, otpSigner);
  await assert.rejects(core.httpClient.proxyVerifyOtpV2({ otpId, encryptedOtpBundle }), /Invalid OTP code/);
});

test('it signs up with OAuth, signs, and logs in again', async () => {
  const enter = async () => {
    const core = await newPage();
    const publicKey = await core.createApiKeyPair();
    const oidcToken = await issuer.signIn('dana', { nonce: nonceOf(publicKey) });
    return { core, publicKey, oidcToken, done: await core.completeOauth({ oidcToken, publicKey, providerName: 'Issuer' }) };
  };
  const first = await enter();
  assert.equal(first.done.action, AuthAction.SIGNUP);
  const mine = await signs(first.core);
  const again = await enter();
  assert.equal(again.done.action, AuthAction.LOGIN);
  assert.deepEqual(await signs(again.core), mine);

  const core = await newPage();
  const publicKey = await core.createApiKeyPair();
  const oidcToken = await issuer.signIn('dana', { nonce: nonceOf(publicKey) });
  const { session } = await core.httpClient.proxyOAuthLogin({ oidcToken, publicKey });
  await core.storeSession({ sessionToken: session });
  assert.deepEqual(await signs(core), mine);
});

test('a sign-up may bring a wallet with it', async () => {
  const core = await newPage();
  const contact = 'fay@example.com';
  const customWallet = { walletName: 'From the start', walletAccounts: [ethereumAccount()] };
  const verificationToken = await verified(core, contact);
  const createSubOrgParams = { userName: 'Fay', subOrgName: 'Fay’s', customWallet };
  await core.signUpWithOtp({ verificationToken, contact, otpType: OtpType.Email, createSubOrgParams });
  assert.equal((await core.fetchUser()).userName, 'Fay');
  assert.deepEqual(
    (await core.fetchWallets()).map(({ walletName, accounts }) => [walletName, accounts.length]),
    [['From the start', 1]],
  );
  await signs(core);
});

test('it asks for a second factor where an MFA policy does, and goes on with the result', async () => {
  const core = await newPage();
  const contact = 'gus@example.com';
  await core.signUpWithOtp({ verificationToken: await verified(core, contact), contact, otpType: OtpType.Email });
  await signs(core);
  const { userId } = (await core.getSession())!;
  await core.httpClient.createMfaPolicy({
    userId,
    mfaPolicyName: 'A code for each signature',
    condition: "activity.kind == 'SIGN_RAW_PAYLOAD'",
    requiredAuthenticationMethods: [
      { any: [{ type: 'AUTHENTICATION_TYPE_SESSION' }] },
      { any: [{ type: 'AUTHENTICATION_TYPE_EMAIL_OTP' }] },
    ],
    order: 0,
  });
  const asked: MfaContext[] = [];
  core.config.onMfaRequired = async (context) => {
    asked.push(context);
    const verificationToken = await verified(core, contact);
    const publicKey = published.decodeVerificationToken(verificationToken).public_key;
    await core.overrideAttestedStamper({ verificationToken, publicKey });
    await core.httpClient.approveActivity({ fingerprint: context.fingerprint }, published.StamperType.Attested);
  };
  core.httpClient = core.createHttpClient();
  await signs(core);
  const [{ activityStatus, mfaStatuses }, ...more] = asked as [MfaContext, ...MfaContext[]];
  assert.deepEqual([more.length, activityStatus], [0, 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED']);
  assert.deepEqual(
    mfaStatuses.map((status) => [status.userId, status.satisfied, status.satisfiedMethods.map(({ type }) => type)]),
    [[userId, false, ['AUTHENTICATION_TYPE_SESSION']]],
  );
});

test('more codes than a contact may have are refused in the words that it knows', async () => {
  const core = await newPage();
  const ask = () => core.initOtp({ otpType: OtpType.Email, contact: 'erin@example.com' });
  for (let i = 0; i < 3; i++) await ask();
  await assert.rejects(ask(), { code: 'MAX_OTP_INITIATED_ERROR' });
});

test('the example application names the packages that it is tested with', () => {
  const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}/package.json`, import.meta.url), 'utf8'));
  for (const [name, version] of Object.entries(read('examples/wallet-app').dependencies))
    assert.equal(read('.').devDependencies[name], version, name);
});
