import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { DEFAULT_LIMITS } from '../../src/model/limits.ts';

import { appOf, newOperator } from '../activities/tvc/support.ts';
import { velocityControl } from '../activities/velocity-controls/support.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { apiKey, ethereumAccount, newKeys, userWith } from '../support/client.ts';
import { encryptedSecret } from '../support/oauth2.ts';
import { sharedIssuer } from '../support/oidc.ts';
import { moonpayCredential } from '../support/on-ramp.ts';
import { newTarget } from '../support/published.ts';
import { refused } from '../support/refusals.ts';
import { RECEIVER } from '../support/samples.ts';
import { type Arena, atOnce, type Call, races } from './races.ts';

/**
 * Many create at once, on PostgreSQL at two processes: no limit is passed and no name is taken twice, and nothing is left half. What
 * sponsored sends may cost in a time: tests/e2e/gas-at-once.test.ts.
 */

type Limited = {
  /** What the setting is, and how many that leaves room for. */
  limit: number;
  room: number;
  call(i: number, arena: Arena): Call;
  text: RegExp;
  /** The limit is of top-level organizations. */
  onTop?: true;
};

const name = (i: number): string => `name ${i}`;
const spaces = (length: number): string => `true${' '.repeat(length - 4)}`;
const policy = (i: number, more: object = {}): Call => [
  'CREATE_POLICY_V3',
  { policyName: name(i), effect: 'EFFECT_ALLOW', notes: '', ...more },
];
const wallet = (i: number, ...accounts: object[]): Call => ['CREATE_WALLET', { walletName: name(i), accounts }];
const userTag = (i: number): Call => ['CREATE_USER_TAG', { userTagName: name(i), userIds: [] }];
const keyTag = (i: number): Call => ['CREATE_PRIVATE_KEY_TAG', { privateKeyTagName: name(i), privateKeyIds: [] }];
const privateKey = (i: number): Call => [
  'CREATE_PRIVATE_KEYS_V2',
  { privateKeys: [{ privateKeyName: name(i), curve: 'CURVE_P256', addressFormats: [], privateKeyTags: [] }] },
];
const contract = (i: number): Call => [
  'CREATE_SMART_CONTRACT_INTERFACE',
  {
    label: name(i),
    smartContractAddress: `0x${randomBytes(20).toString('hex')}`,
    smartContractInterface: '[]',
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
  },
];
const user = (i: number, more: object = {}): Call => [
  'CREATE_USERS_V4',
  { users: [{ ...userWith(name(i), [newKeys()]), userTags: [], ...more }] },
];
const key = ({ userId }: Arena, more: object = {}): Call => [
  'CREATE_API_KEYS_V2',
  { userId, apiKeys: [apiKey(newKeys(), more)] },
];
const invitation = (i: number, { userId }: Arena): Call => {
  const receiver = { receiverUserName: name(i), receiverUserEmail: `a${i}@example.com`, receiverUserTags: [] };
  return ['CREATE_INVITATIONS', { invitations: [{ ...receiver, accessType: 'ACCESS_TYPE_WEB', senderUserId: userId }] }];
};

/** `operators`: how many approve its manifests. Two others keep shares. */
const app = (operators: number): Call => ['CREATE_TVC_APP', appOf(Array.from({ length: operators }, () => newOperator()))];

const { issuer, env } = await sharedIssuer();

/** Sealed to the service, once that runs. */
let encryptedClientSecret = '';
let onRampCredential: object | undefined;

/** A new limit gets its line here. */
const LIMITS: Readonly<Record<keyof typeof DEFAULT_LIMITS, Limited | string>> = {
  wallets: { limit: 5, room: 5, call: (i) => wallet(i), text: /limit of 5 wallets \(LIMIT_WALLETS\)/ },
  walletAccounts: {
    limit: 7,
    room: 3,
    call: (i) => wallet(i, ethereumAccount(0), ethereumAccount(1)),
    text: /limit of 7 wallet accounts \(LIMIT_WALLET_ACCOUNTS\)/,
  },
  privateKeys: { limit: 4, room: 4, call: privateKey, text: /limit of 4 private keys \(LIMIT_PRIVATE_KEYS\)/ },
  users: { limit: 8, room: 7, call: (i) => user(i), text: /limit of 8 users \(LIMIT_USERS\)/ },
  policies: { limit: 5, room: 5, call: (i) => policy(i), text: /limit of 5 policies \(LIMIT_POLICIES\)/ },
  policyCharacters: {
    limit: 400,
    room: 4,
    call: (i) => policy(i, { condition: spaces(90) }),
    text: /limit of 400 characters in the expressions of its policies \(LIMIT_POLICY_CHARACTERS\)/,
    onTop: true,
  },
  policyCharactersOfSubOrganization: {
    limit: 200,
    room: 3,
    call: (i) => policy(i, { condition: spaces(60) }),
    text: /limit of 200 characters in the expressions of its policies \(LIMIT_POLICY_CHARACTERS_OF_SUB_ORGANIZATION\)/,
  },
  contractInterfaceCharacters: {
    limit: 9,
    room: 4,
    call: contract,
    text: /limit of 9 characters in its contract interfaces \(LIMIT_CONTRACT_INTERFACE_CHARACTERS\)/,
  },
  tags: { limit: 5, room: 5, call: (i) => (i % 2 ? userTag : keyTag)(i), text: /limit of 5 tags \(LIMIT_TAGS\)/, onTop: true },
  tagsOfSubOrganization: {
    limit: 4,
    room: 4,
    call: (i) => (i % 2 ? userTag : keyTag)(i),
    text: /limit of 4 tags \(LIMIT_TAGS_OF_SUB_ORGANIZATION\)/,
  },
  longLivedApiKeys: {
    limit: 4,
    room: 3,
    call: (_, arena) => key(arena),
    text: /user has exceeded maximum long-lived api keys: at most 4 \(LIMIT_LONG_LIVED_API_KEYS\)/,
  },
  expiringApiKeys: 'a new one makes room for itself: below',
  liveOtps: 'of a contact, not of an organization: tests/e2e/otp-races.test.ts',
  otpInitiations: 'the same',
  otpInitiationsOfIdentifier: 'the same',
  messagesOfSubOrganization: 'in a time: tests/e2e/tenant-limits.test.ts',
  otpInitiationsOfAddress: 'the same of an address: tests/domain/limits/unstamped.test.ts',
  otpVerificationsOfAddress: 'the same',
  signupsOfAddress: 'the same',
  signupsOfOrganization: 'the same',
  invitations: { limit: 4, room: 4, call: invitation, text: /limit of 4 open invitations \(LIMIT_INVITATIONS\)/ },
  sessionProfiles: {
    limit: 4,
    room: 4,
    call: (i) => ['CREATE_SESSION_PROFILE', { sessionProfileName: name(i), scope: 'false' }],
    text: /limit of 4 session profiles \(LIMIT_SESSION_PROFILES\)/,
    onTop: true,
  },
  mfaPolicies: {
    limit: 3,
    room: 3,
    call: (i, { userId }) => [
      'CREATE_MFA_POLICY',
      {
        userId,
        mfaPolicyName: name(i),
        condition: 'false',
        requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }],
        order: i,
      },
    ],
    text: /user has exceeded maximum MFA policies: at most 3 \(LIMIT_MFA_POLICIES\)/,
  },
  mfaPolicyCharacters: {
    limit: 600,
    room: 2,
    call: (i, { userId }) => [
      'CREATE_MFA_POLICY',
      {
        userId,
        mfaPolicyName: name(i),
        condition: `false${' '.repeat(150)}`,
        requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }],
        order: i,
      },
    ],
    text: /user has exceeded maximum characters in MFA policies: at most 600 .*\(LIMIT_MFA_POLICY_CHARACTERS\)/,
  },
  oauth2Credentials: {
    limit: 3,
    room: 3,
    call: (i) => ['CREATE_OAUTH2_CREDENTIAL', { provider: 'OAUTH2_PROVIDER_X', clientId: name(i), encryptedClientSecret }],
    text: /limit of 3 OAuth 2.0 credentials \(LIMIT_OAUTH2_CREDENTIALS\)/,
  },
  oauthProviders: {
    limit: 3,
    room: 3,
    call: (i, { userId }) => [
      'CREATE_OAUTH_PROVIDERS_V2',
      { userId, oauthProviders: [{ providerName: name(i), oidcToken: issuer.signNow({ sub: `${userId} ${i}` }) }] },
    ],
    text: /user has exceeded maximum oauth providers: at most 3 \(LIMIT_OAUTH_PROVIDERS\)/,
  },
  authenticators: {
    limit: 3,
    room: 3,
    call: (_, { userId }) => ['CREATE_AUTHENTICATORS_V2', { userId, authenticators: [new SoftAuthenticator().register()] }],
    text: /user has exceeded maximum authenticators: at most 3 \(LIMIT_AUTHENTICATORS\)/,
  },
  webhookEndpoints: {
    limit: 3,
    room: 3,
    call: (i) => ['CREATE_WEBHOOK_ENDPOINT', { url: RECEIVER, name: name(i) }],
    text: /limit of 3 webhook endpoints \(LIMIT_WEBHOOK_ENDPOINTS\)/,
  },
  fiatOnRampCredentials: {
    limit: 3,
    room: 3,
    call: () => ['CREATE_FIAT_ON_RAMP_CREDENTIAL', onRampCredential!],
    text: /limit of 3 on-ramp credentials \(LIMIT_FIAT_ON_RAMP_CREDENTIALS\)/,
  },
  secrets: {
    limit: 3,
    room: 3,
    call: () => ['INIT_IMPORT_SECRETS', { encryptionSuite: 'TRANSPORT_ENCRYPTION_SUITE_ENCLAVE_ENCRYPT_V1', numSecrets: 1 }],
    text: /limit of 3 secrets and keys for their import \(LIMIT_SECRETS\)/,
  },
  velocityControls: {
    limit: 4,
    room: 4,
    call: (i) => ['CREATE_VELOCITY_CONTROL', { ...velocityControl(), identifier: `limit_${i}` }],
    text: /limit of 4 velocity controls \(LIMIT_VELOCITY_CONTROLS\)/,
  },
  tvcQuorumKeys: 'needs operators: tests/activities/quorum-keys/create-tvc-quorum-key.test.ts',
  tvcOperators: {
    limit: 10,
    room: 2,
    call: () => app(3),
    text: /limit of 10 operators of verifiable apps \(LIMIT_TVC_OPERATORS\)/,
  },
  tvcApps: { limit: 3, room: 3, call: () => app(1), text: /limit of 3 verifiable apps \(LIMIT_TVC_APPS\)/ },
  tvcDeployments: 'needs an app: tests/activities/tvc/create-tvc-deployment.test.ts',
  freezes: 'needs something to freeze: tests/activities/freezes/countersign-freeze.test.ts',
};

const EXPIRING = 3;
const settingOf = (limit: string): string => `LIMIT_${limit.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
const race = races({
  ...env,
  LIMIT_EXPIRING_API_KEYS: String(EXPIRING),
  ...Object.fromEntries(
    Object.entries(LIMITS).flatMap(([limit, one]) => (typeof one === 'string' ? [] : [[settingOf(limit), String(one.limit)]])),
  ),
});

/** The rows that as many more of what was made once would be. */
function times(before: Record<string, number>, one: Record<string, number>, n: number): Record<string, number> {
  return Object.fromEntries(Object.entries(one).map(([table, rows]) => [table, before[table]! + (rows - before[table]!) * n]));
}

for (const [limit, one] of Object.entries(LIMITS)) {
  if (typeof one === 'string') continue;
  test(`${settingOf(limit)}: as many as it says, and the others are told`, async () => {
    const arena = await (one.onTop ? race.top() : race.arena());
    encryptedClientSecret ||= await encryptedSecret(arena.clients[0]!.url, 'secret');
    onRampCredential ??= await moonpayCredential(arena.clients[0]!.url);
    const before = await race.count(arena);
    const [first] = await atOnce(arena, [one.call(0, arena)]);
    assert.equal(first!.status, 200, first!.text);
    const single = await race.count(arena);
    const answers = await atOnce(
      arena,
      Array.from({ length: one.room + 5 }, (_, i) => one.call(i + 1, arena)),
    );
    const over = answers.filter(({ status }) => status !== 200);
    for (const answer of over) refused(answer, [429, 'UNSPECIFIED', one.text]);
    assert.equal(answers.length - over.length, one.room - 1);
    assert.deepEqual(await race.count(arena), times(before, single, one.room));
    refused((await atOnce(arena, [one.call(100, arena)]))[0]!, [429, 'UNSPECIFIED', one.text]);
  });
}

test('expiring API keys: each is made, and no more than the limit are left', async () => {
  const arena = await race.arena();
  const before = await race.count(arena);
  const answers = await atOnce(
    arena,
    Array.from({ length: 10 }, () => key(arena, { expirationSeconds: '1000' })),
  );
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  assert.equal((await race.count(arena)).credentials, before.credentials! + EXPIRING);
});

test('expiring API keys, logins and sessions at once: one limit for all', async () => {
  const arena = await race.arena();
  const before = await race.count(arena);
  const target = newTarget().publicKey;
  const answers = await atOnce(
    arena,
    Array.from({ length: 12 }, (_, i): Call => {
      if (i % 3 === 0) return key(arena, { expirationSeconds: '1000' });
      if (i % 3 === 1) return ['STAMP_LOGIN', { publicKey: newKeys().publicKey }];
      return ['CREATE_READ_WRITE_SESSION_V2', { targetPublicKey: target }];
    }),
  );
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  assert.equal((await race.count(arena)).credentials, before.credentials! + EXPIRING);
});

test('read-only sessions: each is made, and ten of a user are left', async () => {
  const arena = await race.arena();
  const answers = await atOnce(
    arena,
    Array.from({ length: 14 }, (): Call => ['CREATE_READ_ONLY_SESSION', {}]),
  );
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  assert.equal((await race.count(arena)).read_only_sessions, 10);
});

/** Many of one name, which are otherwise different: how to ask for one, and where its name is refused. */
const NAMES: Readonly<Record<string, [call: (i: number, name: number, arena: Arena) => Call, text: RegExp]>> = {
  'a wallet': [(_, n) => wallet(n), /walletName: wallet label must be unique/],
  'a wallet account': [
    (i, n) => wallet(100 + 10 * n + i, { ...ethereumAccount(), name: name(n) }),
    /name: wallet account name must be unique/,
  ],
  'a private key': [(_, n) => privateKey(n), /privateKeyName: private key label must be unique/],
  'a policy': [(_, n) => policy(n), /policyName: policy label must be unique/],
  'a contract interface': [(_, n) => contract(n), /label: smart contract interface label must be unique/],
  'a user tag': [(_, n) => userTag(n), /userTagName: user tag label must be unique/],
  'a private key tag': [(_, n) => keyTag(n), /privateKeyTagName: private key tag label must be unique/],
  'an API key': [
    (i, n) => user(i, { apiKeys: [apiKey(KEYS[n]!)] }),
    /publicKey: this organization already has a credential with this public key/,
  ],
  'a passkey': [
    (i, n) => user(i, { authenticators: [new SoftAuthenticator('ES256', IDS[n]).register()] }),
    /credentialId: .*this organization already has/,
  ],
};
const KEYS = [newKeys(), newKeys()];
const IDS = [randomBytes(16), randomBytes(16)];

for (const [what, [call, text]] of Object.entries(NAMES)) {
  test(`${what}: many of one name at once, and one of them is made`, async () => {
    const arena = await race.arena();
    const before = await race.count(arena);
    const [first] = await atOnce(arena, [call(9, 0, arena)]);
    assert.equal(first!.status, 200, first!.text);
    const single = await race.count(arena);
    const answers = await atOnce(
      arena,
      Array.from({ length: 6 }, (_, i) => call(i, 1, arena)),
    );
    const refusals = answers.filter(({ status }) => status !== 200);
    for (const answer of refusals) refused(answer, [400, 'REQUEST_INVALID', text]);
    assert.equal(refusals.length, answers.length - 1);
    assert.deepEqual(await race.count(arena), times(before, single, 2));
  });
}
