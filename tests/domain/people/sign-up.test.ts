import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientSignature, HOUR, marksOf, newToken, signUpSignature } from '../../activities/tokens.ts';
import { apiKey, type Keys, newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;

const VERSIONS = ['V7', 'V8'] as const;
type Version = (typeof VERSIONS)[number];
const EMAIL = 'Ada@Example.com';
const TOKEN = 'parameters.verificationToken';
const SIGNATURE = 'parameters.clientSignature';

/** A user who signs up with a session key and an email, as published clients do. */
function signingUp(more: object = {}) {
  const keys = newKeys();
  const user = userWith('Ada', [keys], { userEmail: EMAIL, ...more });
  const about = { apiKeys: user.apiKeys, email: EMAIL };
  return { keys, user, about };
}

const create = (version: Version, rootUsers: object[], more: object = {}) =>
  root.submit(`CREATE_SUB_ORGANIZATION_${version}`, {
    subOrganizationName: 'Sign-up',
    rootQuorumThreshold: 1,
    rootUsers,
    ...more,
  });
const made = (version: Version, answer: Awaited<ReturnType<typeof create>>) =>
  resultOf(answer, `createSubOrganizationResult${version}`) as { subOrganizationId: string; rootUserIds: string[] };

test('the root user of the token’s contact is created with it verified, and nobody else', async () => {
  for (const version of VERSIONS) {
    const { keys, user, about } = signingUp({ userPhoneNumber: '+14155550100' });
    const { token, jwt } = newToken(instance, EMAIL.toLowerCase(), keys);
    const sent = {
      verificationToken: jwt,
      clientSignature: signUpSignature(keys, token.id, { ...about, phoneNumber: '+14155550100' }),
    };
    const answer = await create(version, [userWith('Other', [newKeys()], { userEmail: 'other@example.com' }), user], sent);
    const { subOrganizationId, rootUserIds } = made(version, answer);
    assert.deepEqual(await marksOf(instance, rootUserIds[0]!), { access: 'ACCESS_TYPE_ALL', email: false, phone: false });
    assert.deepEqual(await marksOf(instance, rootUserIds[1]!), { access: 'ACCESS_TYPE_ALL', email: true, phone: false });
    const intent = answer.body.activity.intent[`createSubOrganizationIntent${version}`];
    assert.deepEqual([intent.verificationToken, intent.clientSignature], [sent.verificationToken, sent.clientSignature]);
    assert.equal((await root.as(keys, subOrganizationId).query('whoami')).body.userId, rootUserIds[1]);
  }
});

test('a phone number, whatever way it is written', async () => {
  const keys = newKeys();
  const user = userWith('Phone', [keys], { userPhoneNumber: '+1 415 555 0100' });
  const { token, jwt } = newToken(instance, '+14155550100', keys);
  const clientSignature = signUpSignature(keys, token.id, { phoneNumber: '+14155550100', apiKeys: user.apiKeys });
  const { rootUserIds } = made('V8', await create('V8', [user], { verificationToken: jwt, clientSignature }));
  assert.deepEqual(await marksOf(instance, rootUserIds[0]!), { access: 'ACCESS_TYPE_ALL', email: false, phone: true });
});

test('version 7 takes tokens of the first VERIFY_OTP, bound to a key or not; version 8 takes none of them', async () => {
  for (const bound of [false, true]) {
    const { keys, user, about } = signingUp();
    const { token, jwt } = newToken(instance, EMAIL, bound ? keys : undefined, { kind: 'legacy' });
    const signed = bound ? { clientSignature: signUpSignature(keys, token.id, about, { member: 'signup' }) } : {};
    const sent = { verificationToken: jwt, ...signed };
    refused(await create('V8', [user], sent), [400, 'REQUEST_INVALID', /only tokens of VERIFY_OTP_V2/], TOKEN);
    const { rootUserIds } = made('V7', await create('V7', [user], sent));
    assert.equal((await marksOf(instance, rootUserIds[0]!)).email, true);
  }
});

test('the signature is r ‖ s or DER, over a message in any order, with empty lists or without', async () => {
  const { keys, user, about } = signingUp();
  const { apiKeys, email } = about;
  const turned = Object.fromEntries(Object.entries(apiKeys[0]!).reverse());
  const messages: ((tokenId: string) => ReturnType<typeof clientSignature>)[] = [
    (id) => signUpSignature(keys, id, about, { form: 'der' }),
    (id) => signUpSignature(keys, id, about, { member: 'signup' }),
    (id) => signUpSignature(keys, id, { apiKeys, authenticators: [], oauthProviders: [], email, phoneNumber: '' }),
    (id) =>
      signUpSignature(keys, id, {
        email: email.toUpperCase().replace('ADA@EXAMPLE.COM', EMAIL),
        phoneNumber: null,
        apiKeys: [turned],
      }),
    (id) =>
      clientSignature(
        keys,
        ` { "type" : "USAGE_TYPE_SIGNUP", "login": null, "tokenId":"${id.toUpperCase()}", "signupV2": ${JSON.stringify(about)} } `,
      ),
  ];
  for (const message of messages) {
    const { token, jwt } = newToken(instance, EMAIL, keys);
    made('V8', await create('V8', [user], { verificationToken: jwt, clientSignature: message(token.id) }));
  }
});

test('a signature that is missing, of another key, or about something else', async () => {
  const { keys, user, about } = signingUp();
  const stranger = newKeys();
  const { token, jwt } = newToken(instance, EMAIL, keys);
  const good = signUpSignature(keys, token.id, about);
  const about_ = (changed: object) => signUpSignature(keys, token.id, { ...about, ...changed });
  const byStranger = signUpSignature(stranger, token.id, about);
  const login = clientSignature(
    keys,
    JSON.stringify({ login: { publicKey: keys.publicKey }, tokenId: token.id, type: 'USAGE_TYPE_LOGIN' }),
  );
  const cases: [object | undefined, string, RegExp][] = [
    [undefined, SIGNATURE, /is required: the token is bound to a key/],
    [byStranger, SIGNATURE, /not a signature of the message by the key/],
    [{ ...byStranger, publicKey: keys.publicKey }, SIGNATURE, /not a signature of the message/],
    [{ ...good, message: `${good.message} ` }, SIGNATURE, /not a signature of the message/],
    [{ ...good, signature: good.signature.slice(2) }, SIGNATURE, /not a signature of the message/],
    [{ ...good, scheme: 'CLIENT_SIGNATURE_SCHEME_X' }, `${SIGNATURE}.scheme`, /CLIENT_SIGNATURE_SCHEME_API_P256/],
    [login, `${SIGNATURE}.message`, /for a sign-up with this token/],
    [signUpSignature(keys, NOBODY, about), `${SIGNATURE}.message`, /for a sign-up with this token/],
    [clientSignature(keys, 'not JSON'), `${SIGNATURE}.message`, /for a sign-up with this token/],
    [about_({ apiKeys: [] }), `${SIGNATURE}.message`, /contacts and credentials of the user/],
    [about_({ apiKeys: [apiKey(stranger)] }), `${SIGNATURE}.message`, /contacts and credentials/],
    [about_({ apiKeys: [...about.apiKeys, apiKey(stranger)] }), `${SIGNATURE}.message`, /contacts and credentials/],
    [about_({ email: 'eve@example.com' }), `${SIGNATURE}.message`, /contacts and credentials/],
    [about_({ email: undefined }), `${SIGNATURE}.message`, /contacts and credentials/],
    [about_({ email: 'no email' }), `${SIGNATURE}.message`, /contacts and credentials/],
    [about_({ phoneNumber: '+14155550100' }), `${SIGNATURE}.message`, /contacts and credentials/],
    [about_({ phoneNumber: 'no number' }), `${SIGNATURE}.message`, /contacts and credentials/],
    [about_({ userName: 'Ada' }), `${SIGNATURE}.message`, /contacts and credentials/],
  ];
  for (const version of VERSIONS)
    for (const [clientSignature, field, text] of cases)
      refused(await create(version, [user], { verificationToken: jwt, clientSignature }), [400, 'REQUEST_INVALID', text], field);
  refused(
    await create('V8', [user], { clientSignature: good }),
    [400, 'REQUEST_INVALID', /is only valid with a verificationToken/],
    SIGNATURE,
  );
  const unbound = newToken(instance, EMAIL, undefined);
  const both = { verificationToken: unbound.jwt, clientSignature: signUpSignature(keys, unbound.token.id, about) };
  refused(await create('V7', [user], both), [400, 'REQUEST_INVALID', /not bound to a key/], SIGNATURE);
  made('V8', await create('V8', [user], { verificationToken: jwt, clientSignature: good }));
});

test('a token for nobody or for several, expired, of another organization, of another service', async () => {
  const { keys, user, about } = signingUp();
  const other = await instance.newSubOrganization('Issues tokens', 1, 1);
  const send = (minted: ReturnType<typeof newToken>, users: object[] = [user]) =>
    create('V8', users, { verificationToken: minted.jwt, clientSignature: signUpSignature(keys, minted.token.id, about) });
  const refusal = async (answer: ReturnType<typeof send>, text: RegExp) =>
    refused(await answer, [400, 'REQUEST_INVALID', text], TOKEN);
  await refusal(send(newToken(instance, 'eve@example.com', keys)), /not the email or phone number of a root user/);
  await refusal(send(newToken(instance, '+14155550100', keys)), /not the email or phone number of a root user/);
  await refusal(send(newToken(instance, EMAIL, keys, { type: 'OTP_TYPE_SMS' })), /not the email or phone number of a root user/);
  const twin = userWith('Twin', [newKeys()], { userEmail: EMAIL.toUpperCase() });
  await refusal(send(newToken(instance, EMAIL, keys), [user, twin]), /several root users/);
  await refusal(
    send(newToken(instance, EMAIL, keys, { organizationId: other.organizationId })),
    /is not a verification token of this/,
  );
  await refusal(send(newToken(instance, EMAIL, keys, { organizationId: NOBODY })), /is not a verification token of this/);
  const late = newToken(instance, EMAIL, keys);
  const forged = { ...late, jwt: `${late.jwt.slice(0, -4)}AAAA` };
  await refusal(send(forged), /is not a verification token of this/);
  instance.clock.advance(HOUR + 1_000);
  await refusal(send(late), /has expired/);
});

test('a token makes one sub-organization, also of two that are made at once', async () => {
  const organizations = async () =>
    (await root.query('list_suborgs', { filterType: 'EMAIL', filterValue: 'race@example.com' })).body.organizationIds;
  const prepared = (keys: Keys) => userWith('Race', [keys], { userEmail: 'race@example.com' });
  for (let round = 0; round < 5; round++) {
    const keys = newKeys();
    const user = prepared(keys);
    const { token, jwt } = newToken(instance, 'race@example.com', keys);
    const clientSignature = signUpSignature(keys, token.id, { apiKeys: user.apiKeys, email: 'race@example.com' });
    const send = () => create('V8', [user], { verificationToken: jwt, clientSignature });
    const answers = await Promise.all([send(), send(), send()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400]);
    for (const answer of answers.filter(({ status }) => status === 400))
      refused(answer, [400, 'REQUEST_INVALID', /was already used for this/], TOKEN);
    assert.equal((await organizations()).length, round + 1);
    const change = { userId: instance.credentials.userId, userEmail: 'race@example.com', verificationToken: jwt };
    resultOf(await root.submit('UPDATE_USER_EMAIL', change), 'updateUserEmailResult');
  }
});

test('a refused sign-up uses no token', async () => {
  const { keys, user, about } = signingUp();
  const { token, jwt } = newToken(instance, EMAIL, keys);
  const sent = { verificationToken: jwt, clientSignature: signUpSignature(keys, token.id, about) };
  const taken = userWith('Same key', [keys]);
  refused(await create('V8', [user, taken], sent), [400, 'REQUEST_INVALID', /already has a credential with this public key/]);
  made('V8', await create('V8', [user], sent));
});
