import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { spansOf } from '../../scripts/check/spans.ts';
import { type Answer, apiKey, ethereumAccount, newKeys, post, resultOf, stampOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

/** Published clients match these texts, or parts of them. They stay equal to the byte, with what the service adds after them. */

const instance = await sharedInstance();
const { root, url } = instance;
const { organizationId } = root;
const ID = '00000000-0000-7000-8000-000000000001';

type Case = readonly [status: number, text: string, answer: () => Promise<Answer>];

const whoami = JSON.stringify({ organizationId });
const ask = (headers: Record<string, string> = {}, body = whoami) => post(`${url}/public/v1/query/whoami`, body, headers);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const passkey = (credentialId: string) => {
  const clientDataJson = base64url({ type: 'webauthn.get', challenge: 'AA', origin: 'https://example.com' });
  const authenticatorData = Buffer.alloc(37, 1).toString('base64url');
  return JSON.stringify({
    credentialId,
    authenticatorData,
    clientDataJson,
    signature: Buffer.alloc(70, 1).toString('base64url'),
  });
};

const policy = (name: string, more: object) =>
  root.submit('CREATE_POLICY_V3', { policyName: name, effect: 'EFFECT_ALLOW', notes: '', ...more });
const wallet = (account: object) =>
  root.submit('CREATE_WALLET', { walletName: `Wallet ${newKeys().publicKey}`, accounts: [{ ...ethereumAccount(), ...account }] });
const raw = (more: object) => {
  const parameters = {
    signWith: ID,
    payload: '00',
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  };
  return root.submit('SIGN_RAW_PAYLOAD_V2', { ...parameters, ...more });
};
const keysFor = (userId: string, more: object = {}, many = 1) =>
  root.submit('CREATE_API_KEYS_V2', { userId, apiKeys: Array.from({ length: many }, () => apiKey(newKeys(), more)) });
const oauth2 = (missing: string) => {
  const parameters = { oauth2CredentialId: ID, authCode: 'a', redirectUri: 'https://a.example', codeVerifier: 'a', nonce: 'a' };
  return root.submit('OAUTH2_AUTHENTICATE', { ...parameters, bearerTokenTargetPublicKey: undefined, [missing]: undefined });
};
const oauth2Credential = () =>
  root.submit('CREATE_OAUTH2_CREDENTIAL', { provider: 'OAUTH2_PROVIDER_X', encryptedClientSecret: 'a' });
const mailedKey = (emailCustomization: object) =>
  root.submit('EMAIL_AUTH_V3', {
    email: 'a@example.com',
    targetPublicKey: newKeys().publicKey,
    emailCustomization: { appName: 'Example', ...emailCustomization },
  });
const userId = () => instance.credentials.userId;

let address = '';
let accountId = '';
before(async () => {
  await instance.newUser('Mailed', { userEmail: 'a@example.com' });
  const made = resultOf(
    await root.submit('CREATE_WALLET', { walletName: 'First', accounts: [ethereumAccount()] }),
    'createWalletResult',
  );
  [address] = made.addresses;
  const { accounts } = (await root.query('list_wallet_accounts', { walletId: made.walletId })).body;
  accountId = accounts[0].walletAccountId;
  resultOf(await policy('Unique', { condition: 'false' }), 'createPolicyResult');
});

const cases: readonly Case[] = [
  [400, 'malformed organization ID provided', () => root.query('whoami', { organizationId: 'x' })],
  [400, 'bad request body', () => root.send('/public/v1/query/whoami', '{')],
  [404, 'no organization found with the given ID', () => root.query('whoami', { organizationId: ID })],
  [401, 'no valid authentication signature found for request', () => ask()],
  [401, 'cannot authenticate public API activity request without a stamp (X-Stamp/X-Stamp-Webauthn header)', () => ask()],
  [401, 'could not find public key in organization or its parent organization', () => root.as(newKeys()).query('whoami')],
  [401, 'could not verify api key signature', () => ask({ 'x-stamp': stampOf(root.keys, '{}') })],
  [401, 'malformed activity stamp', () => ask({ 'x-stamp': '!' })],
  [401, 'could not extract api key stamp', () => ask({ 'x-stamp': '!' })],
  [401, 'could not extract webauthn stamp', () => ask({ 'x-stamp-webauthn': '!' })],
  [
    401,
    'credential ID could not be found in organization or its parent organization',
    () => ask({ 'x-stamp-webauthn': passkey('unknown-credential') }),
  ],
  [401, 'expired api key', () => expired()],
  [401, 'Unauthenticated desc = expired api key publicKey', () => expired()],
  [401, 'authentication failed', () => ask({ 'x-session': 'unknown' })],
  [403, "You don't have sufficient permissions to take this action. No policies evaluated to outcome: Allow", () => powerless()],
  [403, 'request not authorized', () => powerless()],
  [403, "You don't have sufficient permissions to take this action. The following policies denied this action: ", () => denied()],
  [404, 'webauthn authenticator not found in organization', () => root.query('get_authenticator', { authenticatorId: ID })],
  [
    404,
    'No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint',
    () => root.submit('APPROVE_ACTIVITY', { fingerprint: `sha256:${'0'.repeat(64)}` }),
  ],
  [429, 'user has exceeded maximum long-lived api keys', () => keysFor(userId(), {}, 10)],
  [400, 'invalid api key expiration', () => keysFor(userId(), { expirationSeconds: '-1' })],
  [400, 'policy label must be unique', () => policy('Unique', { condition: 'true' })],
  [400, 'invalid policy condition', () => policy('Condition', { condition: '1' })],
  [400, 'invalid policy consensus', () => policy('Consensus', { consensus: '1' })],
  [400, 'invalid policy time', () => policy('Time', { condition: 'true', time: "CronSpan('x', '1h', 'UTC')" })],
  [
    400,
    'quorum threshold must be non-zero integer',
    () => root.submit('UPDATE_ROOT_QUORUM', { threshold: 0, userIds: [userId()] }),
  ],
  [400, 'quorum users missing', () => root.submit('UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [ID] })],
  [400, 'missing wallet params', () => root.submit('CREATE_WALLET', { accounts: [] })],
  [400, 'invalid path format', () => wallet({ pathFormat: 'PATH_FORMAT_OTHER' })],
  [400, 'invalid path', () => wallet({ path: 'x' })],
  [400, 'invalid address format', () => wallet({ addressFormat: 'ADDRESS_FORMAT_OTHER' })],
  [400, 'invalid curve', () => wallet({ curve: 'CURVE_OTHER' })],
  [400, 'curve required', () => wallet({ curve: undefined })],
  [400, 'invalid payload encoding', () => raw({ encoding: 'PAYLOAD_ENCODING_OTHER' })],
  [400, 'invalid hash function', () => raw({ hashFunction: 'HASH_FUNCTION_OTHER' })],
  [
    400,
    'failed to parse transaction',
    () => root.submit('SIGN_TRANSACTION_V2', { signWith: address, unsignedTransaction: '00', type: 'TRANSACTION_TYPE_ETHEREUM' }),
  ],
  [400, 'invalid wallet account UUID', () => root.submit('DELETE_WALLET_ACCOUNTS', { walletAccountIds: ['x'] })],
  [400, 'wallet account not part of your organization', () => root.submit('DELETE_WALLET_ACCOUNTS', { walletAccountIds: [ID] })],
  [400, 'wallet account has not been exported', () => root.submit('DELETE_WALLET_ACCOUNTS', { walletAccountIds: [accountId] })],
  [400, 'invalid email address', () => root.submit('UPDATE_USER_EMAIL', { userId: userId(), userEmail: 'x' })],
  [400, 'auth_code must be set', () => oauth2('authCode')],
  [400, 'code_verifier must be set', () => oauth2('codeVerifier')],
  [400, 'oauth2_credential_id must be set', () => oauth2('oauth2CredentialId')],
  [400, 'redirect_uri must be set', () => oauth2('redirectUri')],
  [
    400,
    'invalid OIDC token',
    () => root.submit('CREATE_OAUTH_PROVIDERS_V2', { userId: userId(), oauthProviders: [{ providerName: 'a', oidcToken: 'a' }] }),
  ],
  [400, 'missing parameter: user authenticator attestation', () => authenticator({})],
  [400, 'invalid authenticator attestation', () => authenticator(NO_ATTESTATION)],
  [400, 'organization mismatch: request is targeting organization ("', () => intoSubOrganization()],
  [400, '"), but voters are in organization ("', () => intoSubOrganization()],
  [400, 'request timestamp is too old', () => root.submit('CREATE_USERS_V4', { users: [] }, { timestampMs: '1500000000000' })],
  [
    400,
    'request timestamp is too far in the future',
    () => root.submit('CREATE_USERS_V4', { users: [] }, { timestampMs: '2900000000000' }),
  ],
  [400, 'client_id must be set', () => oauth2Credential()],
  [400, 'invalid magic link template', () => mailedKey({ magicLinkTemplate: 'https://a.example/' })],
  [400, 'failed to get email template contents', () => mailedKey({ templateId: ID })],
  [400, 'failed to unmarshal template variables', () => mailedKey({ templateVariables: '[1]' })],
  [400, 'OAUTH disallowed', () => root.submit('OAUTH_LOGIN', { oidcToken: 'a', publicKey: newKeys().publicKey })],
  [400, 'Invalid OTP code', () => root.submit('VERIFY_OTP', { otpId: ID, otpCode: '123456' })],
  [429, 'Max number of OTPs have been initiated', () => manyCodes()],
];

async function expired(): Promise<Answer> {
  const keys = newKeys();
  const parameters = { userId: userId(), apiKeys: [apiKey(keys, { expirationSeconds: '1' })] };
  resultOf(await root.submit('CREATE_API_KEYS_V2', parameters), 'createApiKeysResult');
  instance.clock.advance(2000);
  return root.as(keys).query('whoami');
}

async function powerless(): Promise<Answer> {
  const { client } = await instance.newUser(`Powerless ${newKeys().publicKey}`);
  return client.submit('CREATE_WALLET', { walletName: 'Refused', accounts: [] });
}

async function denied(): Promise<Answer> {
  const { client, userId } = await instance.newUser('Denied');
  const consensus = `approvers.any(user, user.id == '${userId}')`;
  resultOf(await policy('Deny', { effect: 'EFFECT_DENY', consensus }), 'createPolicyResult');
  return client.submit('CREATE_WALLET', { walletName: 'Refused', accounts: [] });
}

const NO_ATTESTATION = {
  attestation: { credentialId: 'AA', clientDataJson: 'AA', attestationObject: 'AA', transports: [] },
};

const authenticator = (more: object) =>
  root.submit('CREATE_AUTHENTICATORS_V2', {
    userId: userId(),
    authenticators: [{ authenticatorName: 'Passkey', challenge: 'AA', ...more }],
  });

async function intoSubOrganization(): Promise<Answer> {
  const { organizationId } = await instance.newSubOrganization(`Below ${newKeys().publicKey}`, 1, 1);
  return root.submit('CREATE_WALLET', { walletName: 'Refused', accounts: [] }, { organizationId });
}

async function manyCodes(): Promise<Answer> {
  const parameters = { otpType: 'OTP_TYPE_EMAIL', contact: 'codes@example.com', appName: 'Example' };
  let answer: Answer;
  do answer = await root.submit('INIT_OTP_V3', parameters);
  while (answer.status === 200);
  return answer;
}

for (const [status, text, answer] of cases)
  test(`clients that match the text find it: ${text}`, async () => {
    const { status: actual, body, text: all } = await answer();
    assert.equal(actual, status, all);
    assert.ok(body.message.includes(text), all);
  });

/** Texts that need another party, a used-up limit or a fault. The tests of those raise them; here they must be messages of the service. */
const RAISED_ELSEWHERE = [
  'more than one suborg associated with a credential ID',
  'more than one suborg associated with a public key',
  'could not verify WebAuthN signature',
  'user has exceeded maximum authenticators',
  ' cannot execute activities because it has been rate limited. ',
  'Too many requests. ',
  'could not reach email',
  'failed to parse user JSON: missing field ',
  'invalid mnemonic',
  'internal server error (',
];

test('every other text that clients match is in a message of the service, equal to the byte', () => {
  const src = join(import.meta.dirname, '../../src');
  const said = globSync('**/*.ts', { cwd: src }).flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    return spansOf(text)
      .filter(({ kind }) => kind === 'string')
      .map(({ start, end }) => text.slice(start, end));
  });
  const lost = RAISED_ELSEWHERE.filter((text) => !said.some((message) => message.includes(text)));
  assert.deepEqual(lost, []);
});
