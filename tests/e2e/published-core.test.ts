/** The published browser client against the auth proxy, with its own keys, storage and stamps. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { encryptOtpCodeToBundle } from '@turnkey/crypto';
import { enabledProxy } from '../support/auth-proxy.ts';
import { sharedInstance } from '../support/instance.ts';
import { sharedMail } from '../support/mail.ts';
import { sharedIssuer } from '../support/oidc.ts';
import { nonceOf, publishedKey } from '../support/published.ts';
import { type Core, newCore, published, signs, verifiedBy } from '../support/published-core.ts';

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

const verified = (core: Core, contact: string) => verifiedBy(core, mail, otpSigner, contact);

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
  const signedUp = await core.signUpWithOtp({ verificationToken, contact, otpType: OtpType.Email });
  // It would verify them as proofs of hardware.
  assert.equal(signedUp.appProofs, undefined);
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

test('it fetches the boot proof of app proofs, and says that no hardware signed it', async () => {
  const core = await newPage();
  const contact = 'drew@example.com';
  await core.signUpWithOtp({ verificationToken: await verified(core, contact), contact, otpType: OtpType.Email });
  const wallet = { walletName: 'Proven', accounts: [], generateAppProofs: true };
  const { activity } = await core.httpClient.createWallet(wallet);
  const appProofs = activity.appProofs!;
  assert.equal(appProofs.length, 1);
  const refusal = ({ message, cause }: Error) =>
    message === 'Failed to verify app proofs' && /^Certificate chain verification failed/.test((cause as Error).message);
  await assert.rejects(core.verifyAppProofs({ appProofs }), refusal);
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
  const walletAccounts = published.generateWalletAccountsFromAddressFormat({ addresses: ['ADDRESS_FORMAT_ETHEREUM'] });
  const customWallet = { walletName: 'From the start', walletAccounts };
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

test('more codes than a contact may have are refused in the words that it knows', async () => {
  const core = await newPage();
  const ask = () => core.initOtp({ otpType: OtpType.Email, contact: 'erin@example.com' });
  for (let i = 0; i < 3; i++) await ask();
  await assert.rejects(ask(), { code: 'MAX_OTP_INITIATED_ERROR' });
});

test('the example application names the packages that it is tested with', () => {
  const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}/package.json`, import.meta.url), 'utf8'));
  const { dependencies, devDependencies } = read('.');
  const installed = { ...dependencies, ...devDependencies };
  for (const [name, version] of Object.entries(read('examples/wallet-app').dependencies))
    assert.equal(installed[name], version, name);
});
