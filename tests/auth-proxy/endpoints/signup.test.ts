import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { toHex } from '../../../src/base/bytes.ts';
import { sha256 } from '../../../src/crypto/hash.ts';
import { marksOf, newToken, signUpSignature } from '../../activities/tokens.ts';
import { enabledProxy, type TestProxy } from '../../support/auth-proxy.ts';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { type Answer, apiKey, type Keys, newKeys, post } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { byPasskey } from '../../support/passkey-client.ts';
import { refused } from '../../support/refusals.ts';

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);
const { root } = instance;
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(root);
});

const NONE = { apiKeys: [] as object[], authenticators: [] as object[], oauthProviders: [] as object[] };
const ok = (answer: Answer) => {
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const session = (keys: Keys) => ({ ...apiKey(keys), expirationSeconds: '60' });
const userOf = async (made: { organizationId: string; userId: string }) =>
  (await root.as(root.keys, made.organizationId).query('get_user', { userId: made.userId })).body.user;
let people = 0;
const newContact = () => `signup-${++people}@example.com`;

for (const name of ['signup', 'signup_v2'])
  test(`${name}: with a passkey, a key for the first session and a wallet, as published clients send it`, async () => {
    const [passkey, keys] = [new SoftAuthenticator(), newKeys()];
    const wallet = {
      walletName: 'First',
      accounts: [
        {
          curve: 'CURVE_SECP256K1',
          pathFormat: 'PATH_FORMAT_BIP32',
          path: "m/44'/60'/0'/0/0",
          addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
        },
      ],
    };
    const sent = {
      userName: 'Ada',
      authenticators: [passkey.register()],
      organizationName: 'sub-org-1',
      apiKeys: [session(keys)],
      oauthProviders: [],
      wallet,
    };
    const made = ok(await proxy.ask(name, sent));
    assert.deepEqual(Object.keys(made).sort(), ['organizationId', 'userId', 'wallet']);
    assert.match(made.wallet.addresses[0], /^0x[0-9a-fA-F]{40}$/);
    for (const client of [root.as(keys, made.organizationId), byPasskey(root.as(keys, made.organizationId), passkey)]) {
      const { body } = await client.query('whoami');
      assert.deepEqual([body.organizationName, body.userId, body.username], ['sub-org-1', made.userId, 'Ada']);
    }
    const organization = (await root.as(keys, made.organizationId).query('get_organization', {})).body.organizationData;
    assert.deepEqual(organization.rootQuorum, { threshold: 1, userIds: [made.userId] });
  });

test('names that are left out are made: the email, or the time', async () => {
  const [first, second] = [newContact(), undefined];
  for (const userEmail of [first, second]) {
    const made = ok(await proxy.ask('signup_v2', { ...NONE, apiKeys: [apiKey(newKeys())], userEmail, userName: '' }));
    const { userName } = await userOf(made);
    assert.match(userName, userEmail === undefined ? /^user-\d{13}$/ : new RegExp(`^${userEmail}$`));
    const { organizationName } = (await root.as(root.keys, made.organizationId).query('get_organization', {})).body
      .organizationData;
    assert.match(organizationName ?? '', /^(sub-org-\d{13})?$/);
    assert.equal((await marksOf(instance, made.userId)).email, false, 'nothing shows that it is theirs');
  }
});

/** As published clients sign it. */
function byCode(contact: string, name: 'signup' | 'signup_v2', more: object = {}) {
  const keys = newKeys();
  const { jwt, token } = newToken(instance, contact, keys);
  const kind = contact.startsWith('+') ? 'phoneNumber' : 'email';
  const about = { apiKeys: [], authenticators: [], oauthProviders: [], [kind]: contact };
  const clientSignature = signUpSignature(keys, token.id, about, { member: name === 'signup' ? 'signup' : 'signupV2' });
  const own = kind === 'email' ? { userEmail: contact } : { userPhoneNumber: contact };
  return { ...NONE, ...own, verificationToken: jwt, clientSignature, ...more };
}

test('with a code: the contact is verified, once for each token', async () => {
  await root.submit('SET_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_SMS_AUTH', value: '' });
  for (const contact of [newContact(), '+14155550177']) {
    const sent = byCode(contact, 'signup_v2');
    const made = ok(await proxy.ask('signup_v2', sent));
    const marks = await marksOf(instance, made.userId);
    assert.deepEqual([marks.email, marks.phone], contact.startsWith('+') ? [false, true] : [true, false]);
    refused(await proxy.ask('signup_v2', sent), [400, 'REQUEST_INVALID', /is the (email|phone number) of an existing account/]);
  }
});

test('a signature that is about somebody else', async () => {
  const contact = newContact();
  const sent = byCode(contact, 'signup_v2', { apiKeys: [apiKey(newKeys())] });
  refused(
    await proxy.ask('signup_v2', sent),
    [400, 'REQUEST_INVALID', /clientSignature.message: must have the contacts and credentials/],
    'clientSignature.message',
  );
});

test('an existing user does not sign up again, and two sign-ups together make one user', async () => {
  const contact = newContact();
  const answers = await Promise.all([0, 1, 2, 3].map(() => proxy.ask('signup_v2', byCode(contact, 'signup_v2'))));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400]);
  const loser = answers.find(({ status }) => status === 400)!;
  refused(loser, [400, 'REQUEST_INVALID', /userEmail: is the email of an existing account: log in/], 'userEmail');

  const keys = newKeys();
  ok(await proxy.ask('signup_v2', { ...NONE, apiKeys: [apiKey(keys)] }));
  const again = { ...NONE, apiKeys: [apiKey(newKeys()), session({ ...keys, publicKey: keys.publicKey.toUpperCase() })] };
  refused(
    await proxy.ask('signup_v2', again),
    [400, 'REQUEST_INVALID', /is a key of an existing account/],
    'apiKeys[1].publicKey',
  );

  const passkey = new SoftAuthenticator();
  ok(await proxy.ask('signup_v2', { ...NONE, authenticators: [passkey.register()] }));
  const twin = { ...NONE, authenticators: [passkey.register()] };
  refused(
    await proxy.ask('signup_v2', twin),
    [400, 'REQUEST_INVALID', /is a passkey of an existing account/],
    'authenticators[0].attestation.credentialId',
  );
  const provider = () => ({ providerName: 'Issuer', oidcToken: issuer.signNow({ sub: 'twice' }) });
  ok(await proxy.ask('signup_v2', { ...NONE, oauthProviders: [provider()] }));
  refused(await proxy.ask('signup_v2', { ...NONE, oauthProviders: [provider()] }), [400, 'OAUTH_PROVIDER_ALREADY_EXISTS', /./]);
});

test('an unverified contact is nobody’s: many may have it', async () => {
  const userEmail = newContact();
  for (const _ of [0, 1]) ok(await proxy.ask('signup_v2', { ...NONE, userEmail, apiKeys: [apiKey(newKeys())] }));
  ok(await proxy.ask('signup_v2', byCode(userEmail, 'signup_v2')));
});

/** Keys of wallets can be read from the chain: a caller who signs up with another person's key must have no access to that person's account. */
test('a key of a wallet signs up alone: it may be anybody’s', async () => {
  const [first, second] = [secp256k1.utils.randomSecretKey(), ed25519.utils.randomSecretKey()];
  const wallets = [
    {
      curveType: 'API_KEY_CURVE_SECP256K1',
      scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1',
      publicKey: toHex(secp256k1.getPublicKey(first)),
      sign: (body: Buffer) => toHex(secp256k1.sign(sha256(body), first, { prehash: false, format: 'der' })),
    },
    {
      curveType: 'API_KEY_CURVE_ED25519',
      scheme: 'SIGNATURE_SCHEME_TK_API_ED25519',
      publicKey: toHex(ed25519.getPublicKey(second)),
      sign: (body: Buffer) => toHex(ed25519.sign(body, second)),
    },
  ];
  for (const wallet of wallets) {
    const { publicKey, curveType } = wallet;
    const theirs = { publicKey, curveType, apiKeyName: `wallet-auth:${publicKey}` };
    const userEmail = newContact();
    for (const mine of [
      { apiKeys: [theirs, apiKey(newKeys())] },
      { apiKeys: [session(newKeys()), theirs] },
      { apiKeys: [{ ...theirs, expirationSeconds: '31536000' }, apiKey(newKeys())] },
      { apiKeys: [theirs], authenticators: [new SoftAuthenticator().register()] },
      { apiKeys: [theirs], oauthProviders: [{ providerName: 'Mine', oidcToken: issuer.signNow({ sub: newContact() }) }] },
      { apiKeys: [theirs], userEmail },
      { apiKeys: [theirs], userPhoneNumber: '+14155550177' },
    ])
      for (const name of ['signup', 'signup_v2'])
        refused(await proxy.ask(name, { ...NONE, ...mine }), [400, 'REQUEST_INVALID', /apiKeys\[\d\].*is the key of a wallet/]);
    await addedByAStranger(theirs);
    const found = () => proxy.ask('account', { filterType: 'PUBLIC_KEY', filterValue: wallet.publicKey });
    assert.deepEqual((await found()).body, {}, 'who adds it to an account of their own has nobody come there');
    const alone = () => proxy.ask('signup_v2', { ...NONE, apiKeys: [theirs] });
    const { organizationId, userId } = ok(await alone());
    await addedByAStranger(theirs);
    assert.deepEqual((await found()).body, { organizationId });
    refused(await alone(), [400, 'REQUEST_INVALID', /is a key of an existing account/]);
    const parameters = { publicKey: newKeys().publicKey };
    const type = 'ACTIVITY_TYPE_STAMP_LOGIN';
    const body = JSON.stringify({
      type,
      timestampMs: String(instance.clock.now()),
      organizationId: root.organizationId,
      parameters,
    });
    const stamp = JSON.stringify({
      publicKey: wallet.publicKey,
      scheme: wallet.scheme,
      signature: wallet.sign(Buffer.from(body)),
    });
    const login = ok(
      await post(`${root.url}/public/v1/submit/stamp_login`, body, { 'x-stamp': Buffer.from(stamp).toString('base64url') }),
    );
    assert.deepEqual([login.activity.organizationId, login.activity.votes[0].userId], [organizationId, userId]);
  }
});

/** A user with an account adds the key of another person's wallet to it. */
async function addedByAStranger(key: object): Promise<void> {
  const keys = newKeys();
  const { organizationId, userId } = ok(await proxy.ask('signup_v2', { ...NONE, apiKeys: [apiKey(keys)] }));
  ok(await root.as(keys, organizationId).submit('CREATE_API_KEYS_V2', { userId, apiKeys: [key] }));
}

test('the organization’s own backend may make as many as it likes', async () => {
  const keys = newKeys();
  const user = { userName: 'Twin', authenticators: [], oauthProviders: [], apiKeys: [apiKey(keys)] };
  const parameters = { subOrganizationName: 'Twin', rootQuorumThreshold: 1, rootUsers: [user] };
  for (const _ of [0, 1]) assert.equal((await root.submit('CREATE_SUB_ORGANIZATION_V8', parameters)).status, 200);
});

test('an account elsewhere: by a token, and by claims beside it in the second version', async () => {
  const own = { providerName: 'Issuer', oidcToken: issuer.signNow({ sub: 'claims' }) };
  const claims = { providerName: 'Other', oidcClaims: { iss: issuer.url, sub: 'claims', aud: 'another application' } };
  refused(await proxy.ask('signup', { ...NONE, oauthProviders: [own, claims] }), [400, 'REQUEST_INVALID', /oidcToken/]);
  const made = ok(await proxy.ask('signup_v2', { ...NONE, oauthProviders: [own, claims] }));
  const { oauthProviders } = await userOf(made);
  assert.deepEqual(oauthProviders.map(({ audience }: { audience: string }) => audience).sort(), [
    'another application',
    issuer.clientId,
  ]);
  const alone = { ...NONE, oauthProviders: [{ ...claims, oidcClaims: { ...claims.oidcClaims, sub: 'alone' } }] };
  refused(
    await proxy.ask('signup_v2', alone),
    [400, 'INVALID_OIDC_TOKEN', /oauthProviders\[0\].oidcClaims/],
    'oauthProviders[0].oidcClaims',
  );
});

test('a wrong value is named by the field of the request', async () => {
  for (const [body, text, field] of [
    [{ authenticators: [], oauthProviders: [] }, /apiKeys/, 'apiKeys'],
    [
      { ...NONE, apiKeys: [{ apiKeyName: 'x', publicKey: 'zz', curveType: 'API_KEY_CURVE_P256' }] },
      /apiKeys\[0\].publicKey/,
      'apiKeys[0].publicKey',
    ],
    [{ ...NONE, apiKeys: [{ apiKeyName: 'x', publicKey: 'zz' }] }, /curveType/, 'apiKeys[0].curveType'],
    [{ ...NONE, userPhoneNumber: 'none', apiKeys: [apiKey(newKeys())] }, /userPhoneNumber/, 'userPhoneNumber'],
    [{ ...NONE, organizationName: 'x'.repeat(256), apiKeys: [apiKey(newKeys())] }, /organizationName/, 'organizationName'],
    [{ ...NONE, apiKeys: [apiKey(newKeys())], wallet: { walletName: 'W', accounts: [{}] } }, /wallet.accounts\[0\]/, undefined],
    [NONE, /^bad request body: user must have at least one valid credential/, undefined],
    [{ ...NONE, apiKeys: [session(newKeys())] }, /must have at least one valid credential/, undefined],
    [
      { ...NONE, verificationToken: 'x', userEmail: newContact() },
      /verificationToken: is not a verification token/,
      'verificationToken',
    ],
  ] as const)
    refused(await proxy.ask('signup_v2', body), [400, 'REQUEST_INVALID', text], field);
  refused(await proxy.ask('signup_v2', { ...NONE, userEmail: 'nobody' }), [400, 'INVALID_EMAIL', /userEmail: /], 'userEmail');
});

test('ways that the application does not offer', async () => {
  const lasting = { ...NONE, apiKeys: [apiKey(newKeys())] };
  const byPasskeyAlone = () => ({ ...NONE, authenticators: [new SoftAuthenticator().register()], apiKeys: [session(newKeys())] });
  const byAccount = { ...NONE, oauthProviders: [{ providerName: 'I', oidcToken: issuer.signNow({ sub: 'ways' }) }] };
  const code = byCode(newContact(), 'signup_v2');
  const contact = { ...NONE, userEmail: newContact() };
  await proxy.set({ allowedAuthMethods: ['passkey', 'google'] });
  for (const [body, text] of [
    [lasting, /wallet is not among the allowedAuthMethods/],
    [byAccount, /^OAUTH disallowed: oidc is not among/],
    [code, /email is not among/],
    [contact, /email is not among/],
    [{ ...byPasskeyAlone(), ...{ apiKeys: lasting.apiKeys } }, /wallet is not among/],
  ] as const)
    refused(await proxy.ask('signup_v2', body), [403, 'REQUEST_NOT_AUTHORIZED', text]);
  ok(await proxy.ask('signup_v2', byPasskeyAlone()));
  await proxy.set({ allowedAuthMethods: ['wallet', 'oidc', 'email'] });
  for (const body of [lasting, byAccount, code, contact]) ok(await proxy.ask('signup_v2', body));
});
