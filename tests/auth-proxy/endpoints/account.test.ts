import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { account } from '../../../src/auth-proxy/endpoints/account.ts';
import { household, initiateInTheClear, outboxOf } from '../../activities/otp/support.ts';
import { enabledProxy, type TestProxy } from '../../support/auth-proxy.ts';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { codeIn } from '../../support/mail.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { refused } from '../../support/refusals.ts';
import { newTopLevel } from '../../support/world/homes.ts';

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance({ ...env, ALLOW_CREATE_ORGANIZATION: '1' });
const { root } = instance;
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(root);
});

const find = async (filterType: string, filterValue: string, more: object = {}): Promise<string | undefined> => {
  const answer = await proxy.ask('account', { filterType, filterValue, ...more });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(account.result.parse(answer.body), answer.body);
  return answer.body.organizationId;
};

/** What a code does is tested where codes are used. */
const markVerified = (organizationId: string) =>
  instance.raw(
    'UPDATE users SET email_verified = 1, verified_email_key = email_key, phone_verified = 1, verified_phone = phone WHERE organization_id = $1',
    organizationId,
  );

async function tokenFor(contact: string, client = root): Promise<string> {
  const otpId = await initiateInTheClear(client, contact);
  const mail = (await outboxOf(root)).find(({ to }) => to.toLowerCase() === contact.toLowerCase());
  const verified = await client.submit('VERIFY_OTP', { otpId, otpCode: codeIn(mail!.text) });
  return resultOf(verified, 'verifyOtpResult').verificationToken;
}

let made = 0;
const newContacts = () => ({ userEmail: `somebody-${++made}@example.com`, userPhoneNumber: `+1415555${1000 + made}` });

test('an account is found by what its user has, and nothing is found for others', async () => {
  const keys = newKeys();
  const name = 'Ada of the accounts';
  const rootUsers = [userWith(name, [keys])];
  const parameters = { subOrganizationName: 'Accounts by name', rootQuorumThreshold: 1, rootUsers };
  const { subOrganizationId } = resultOf(
    await root.submit('CREATE_SUB_ORGANIZATION_V8', parameters),
    'createSubOrganizationResultV8',
  );
  assert.equal(await find('NAME', 'Accounts by name'), subOrganizationId);
  assert.equal(await find('USERNAME', name), subOrganizationId);
  assert.equal(await find('PUBLIC_KEY', keys.publicKey), subOrganizationId);
  assert.equal(await find('PUBLIC_KEY', keys.publicKey.toUpperCase()), subOrganizationId);
  for (const [type, value] of [
    ['NAME', 'Nobody'],
    ['USERNAME', 'Accounts by name'],
    ['PUBLIC_KEY', newKeys().publicKey],
    ['CREDENTIAL_ID', 'bm9ib2R5'],
    ['EMAIL', 'nobody@example.com'],
    ['EMAIL', 'no address'],
    ['PHONE_NUMBER', '+14155559999'],
    ['OIDC_CLAIMS', JSON.stringify({ iss: 'https://issuer.example', sub: 'x', aud: 'y' })],
  ] as const)
    assert.equal(await find(type, value), undefined, type);
  assert.equal(await find('USERNAME', 'root'), undefined, 'users of the organization itself have no account');
});

test('of several the one that was there first', async () => {
  const keys = newKeys();
  const make = async () => {
    const rootUsers = [userWith('Twin', [keys])];
    const sent = { subOrganizationName: 'Twins', rootQuorumThreshold: 1, rootUsers };
    return resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', sent), 'createSubOrganizationResultV8').subOrganizationId;
  };
  const first = await make();
  await make();
  assert.equal(await find('PUBLIC_KEY', keys.publicKey), first);
  assert.equal(await find('NAME', 'Twins'), first);
});

test('by a contact only if its user has shown that it is theirs', async () => {
  const contacts = newContacts();
  const { organizationId } = await household(instance, contacts);
  assert.equal(await find('EMAIL', contacts.userEmail), undefined);
  assert.equal(await find('PHONE_NUMBER', contacts.userPhoneNumber), undefined);
  await markVerified(organizationId);
  assert.equal(await find('EMAIL', contacts.userEmail.toUpperCase()), organizationId);
  assert.equal(await find('PHONE_NUMBER', contacts.userPhoneNumber), organizationId);
  assert.equal(await find('PHONE_NUMBER', contacts.userPhoneNumber.replace('+1415', '+1 (415) ')), organizationId);
});

test('by an OIDC token or its claims', async () => {
  const keys = newKeys();
  const rootUsers = [
    { ...userWith('Oidc', [keys]), oauthProviders: [{ providerName: 'Issuer', oidcToken: issuer.signNow({ sub: 'account' }) }] },
  ];
  const sent = { subOrganizationName: 'By token', rootQuorumThreshold: 1, rootUsers };
  const { subOrganizationId } = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', sent), 'createSubOrganizationResultV8');
  assert.equal(await find('OIDC_TOKEN', issuer.signNow({ sub: 'account' })), subOrganizationId);
  assert.equal(await find('OIDC_TOKEN', issuer.signNow({ sub: 'another' })), undefined);
  const claims = { iss: issuer.url, sub: 'account', aud: issuer.clientId };
  assert.equal(await find('OIDC_CLAIMS', JSON.stringify(claims)), subOrganizationId);
  assert.equal(await find('OIDC_CLAIMS', JSON.stringify({ ...claims, aud: 'other' })), undefined);
  const expired = issuer.signNow({ sub: 'account', exp: 1 });
  refused(await proxy.ask('account', { filterType: 'OIDC_TOKEN', filterValue: expired }), [
    400,
    'INVALID_OIDC_TOKEN',
    /filterValue: it has expired/,
  ]);
});

test('by a passkey', async () => {
  const passkey = new SoftAuthenticator();
  const rootUsers = [{ ...userWith('Passkey', [newKeys()]), authenticators: [passkey.register()] }];
  const sent = { subOrganizationName: 'By passkey', rootQuorumThreshold: 1, rootUsers };
  const { subOrganizationId } = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', sent), 'createSubOrganizationResultV8');
  assert.equal(await find('CREDENTIAL_ID', passkey.id), subOrganizationId);
});

test('where the configuration says so, only the owner of a contact finds by it', async (t) => {
  await proxy.set({ verificationTokenRequiredForGetAccountPii: true });
  t.after(() => proxy.set({ verificationTokenRequiredForGetAccountPii: false }));
  const known = newContacts();
  const { organizationId, own } = await household(instance, known);
  await markVerified(organizationId);
  const unknown = newContacts();
  const [theirs, other, stranger] = [
    await tokenFor(known.userEmail),
    await tokenFor('other-owner@example.com'),
    await tokenFor(known.userEmail, own),
  ];
  assert.equal(await find('EMAIL', known.userEmail.toUpperCase(), { verificationToken: theirs }), organizationId);
  assert.equal(await find('EMAIL', 'other-owner@example.com', { verificationToken: other }), undefined);
  const ask = (filterType: string, filterValue: string, more: object) =>
    proxy.ask('account', { filterType, filterValue, ...more });
  for (const more of [
    {},
    { verificationToken: '' },
    { verificationToken: 'x' },
    { verificationToken: other },
    { verificationToken: stranger },
  ])
    for (const [type, member] of [['EMAIL', 'userEmail'] as const, ['PHONE_NUMBER', 'userPhoneNumber'] as const]) {
      const [one, none] = [await ask(type, known[member], more), await ask(type, unknown[member], more)];
      refused(one, [400, 'REQUEST_INVALID', /verificationToken/], 'verificationToken');
      assert.deepEqual([one.status, one.text], [none.status, none.text], 'existing and unknown contacts are answered alike');
    }
  refused(await ask('PHONE_NUMBER', known.userPhoneNumber, { verificationToken: theirs }), [
    400,
    'REQUEST_INVALID',
    /verificationToken/,
  ]);
  assert.equal((await find('USERNAME', 'Somebody')) !== undefined, true, 'no other look-up needs one');
  await theirContactAsAName();
  instance.clock.advance(3_700_000);
  refused(await ask('EMAIL', known.userEmail, { verificationToken: theirs }), [400, 'REQUEST_INVALID', /has expired/]);
});

/** A user who signs up without a name gets the email as name: the account must not be found by it either. */
async function theirContactAsAName(): Promise<void> {
  const email = newContacts().userEmail;
  const verificationToken = await tokenFor(email);
  const none = { apiKeys: [], authenticators: [], oauthProviders: [] };
  const { body } = await proxy.ask('signup', { ...none, userEmail: email, organizationName: email, verificationToken });
  for (const type of ['USERNAME', 'NAME']) {
    for (const value of [email, 'nobody@example.com', '+14155550100', '4155550100'])
      refused(await proxy.ask('account', { filterType: type, filterValue: value }), [
        400,
        'REQUEST_INVALID',
        /verificationToken: is required/,
      ]);
    assert.equal(await find(type, email, { verificationToken }), body.organizationId);
  }
}

test('Google vouches for an email address to applications that are configured for it', async (t) => {
  // No test can sign as Google. The verification of its tokens is tested beside it.
  const { oidc } = instance.engine;
  after(() => Object.assign(instance.engine, { oidc }));
  const contacts = newContacts();
  const { organizationId } = await household(instance, contacts);
  await markVerified(organizationId);
  let token = {};
  const google = { issuer: 'https://accounts.google.com', audience: 'linked', subject: 'g', verifiedEmail: undefined };
  const payers: string[] = [];
  const verify = async (_: unknown, { payer }: { payer: string }) => {
    payers.push(payer);
    return [{ ...google, ...token }];
  };
  Object.assign(instance.engine, { oidc: { ...oidc, verify, claimed: () => ({ ...google, ...token }) } });
  await proxy.set({ socialLinkingClientIds: ['linked'], verificationTokenRequiredForGetAccountPii: true });
  t.after(() => proxy.set({ socialLinkingClientIds: [], verificationTokenRequiredForGetAccountPii: false }));
  const byToken = () => find('OIDC_TOKEN', 'a.b.c');
  const byEmail = (email = contacts.userEmail) =>
    proxy.ask('account', { filterType: 'EMAIL', filterValue: email, oidcToken: 'a.b.c' });

  assert.equal(await byToken(), undefined, 'it vouches for no address');
  refused(await byEmail(), [400, 'REQUEST_INVALID', /does not prove/], 'oidcToken');
  token = { verifiedEmail: contacts.userEmail.toUpperCase() };
  assert.equal(await byToken(), organizationId, 'a login with it leads there');
  assert.equal((await byEmail()).body.organizationId, organizationId);
  refused(await byEmail('another@example.com'), [400, 'REQUEST_INVALID', /does not prove/]);
  token = { verifiedEmail: contacts.userEmail, audience: 'another application' };
  assert.equal(await byToken(), undefined);
  refused(await byEmail(), [400, 'REQUEST_INVALID', /does not prove/]);
  token = { verifiedEmail: contacts.userEmail, audience: 'not linked' };
  const walletKitSettings = { oauthClientIds: { google: 'not linked' } };
  await proxy.set({ walletKitSettings });
  t.after(() => proxy.set({ walletKitSettings: {} }));
  assert.equal(await byToken(), undefined, 'links nothing');
  assert.equal((await byEmail()).body.organizationId, organizationId, 'published clients ask so before they add the account');
  refused(await byEmail('another@example.com'), [400, 'REQUEST_INVALID', /does not prove/]);
  assert.ok(
    payers.every((payer) => payer.startsWith(`proxy ${root.organizationId}`)),
    `on shares of the proxy alone: ${payers}`,
  );
  Object.assign(instance.engine, { oidc });
});

test('bad parameters are named', async () => {
  for (const [body, field, text] of [
    [{}, 'filterType', /must be one of CREDENTIAL_ID, NAME/],
    [{ filterType: 'WALLET_ACCOUNT_ADDRESS', filterValue: 'x' }, 'filterType', /must be one of/],
    [{ filterType: 'EMAIL' }, 'filterValue', /is required/],
    [{ filterType: 'EMAIL', filterValue: '' }, 'filterValue', /must not be empty/],
    [{ filterType: 'EMAIL', filterValue: 'x'.repeat(255) }, 'filterValue', /at most 254/],
    [{ filterType: 'NAME', filterValue: 'x'.repeat(1025) }, 'filterValue', /at most 1024/],
    [{ filterType: 'OIDC_CLAIMS', filterValue: '{' }, 'filterValue', /must be JSON/],
    [{ filterType: 'EMAIL', filterValue: 'x', verificationToken: 'x'.repeat(8193) }, 'verificationToken', /./],
    [{ filterType: 'EMAIL', filterValue: 'x', oidcToken: 'x'.repeat(16_385) }, 'oidcToken', /at most 16384/],
  ] as const)
    refused(await proxy.ask('account', body), [400, 'REQUEST_INVALID', text], field);
});

test('an account of another organization is not found', async () => {
  const { client } = await newTopLevel(instance, 'Another application');
  const theirs = await enabledProxy(client);
  const { organizationId } = await household(instance, {}, { subOrganizationName: 'Elsewhere' });
  assert.equal(await find('NAME', 'Elsewhere'), organizationId);
  assert.deepEqual((await theirs.ask('account', { filterType: 'NAME', filterValue: 'Elsewhere' })).body, {});
  const verificationToken = await tokenFor('two-applications@example.com', client);
  await proxy.set({ verificationTokenRequiredForGetAccountPii: true });
  const asked = { filterType: 'EMAIL', filterValue: 'two-applications@example.com', verificationToken };
  refused(await proxy.ask('account', asked), [400, 'REQUEST_INVALID', /is not a verification token of this application/]);
  await proxy.set({ verificationTokenRequiredForGetAccountPii: false });
});
