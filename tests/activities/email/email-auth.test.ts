import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { type Client, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { sharedInstance, startInstance } from '../../support/instance.ts';
import { sharedMail } from '../../support/mail.ts';
import { keysIn, newTarget } from '../../support/published.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { agreed, newPair, refusedToNobody } from '../support.ts';
import { asking, mailed, newCustomer, setFeature, whoIs } from './support.ts';

const mail = await sharedMail();
const instance = await sharedInstance(mail.env);
const { root } = instance;
const FEATURE = 'FEATURE_NAME_EMAIL_AUTH';
await setFeature(root, FEATURE, true);

const TYPE = 'EMAIL_AUTH_V3';
const KEY = 'emailAuthResult';
const KEY_TYPE = 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256';
const APP = { emailCustomization: { appName: 'Harbour' } };

const keysOf = async (client: Client, userId: string): Promise<{ apiKeyId: string; apiKeyName: string; credential: object }[]> =>
  (await client.query('get_api_keys', { userId })).body.apiKeys;

for (const [type, about, subject] of [
  ['EMAIL_AUTH', {}, /Root organization/],
  ['EMAIL_AUTH_V2', { emailCustomization: { logoUrl: 'https://example.com/logo.png' } }, /Root organization/],
  ['EMAIL_AUTH_V3', APP, /Harbour/],
  ['EMAIL_AUTH_V3', {}, /Root organization/],
] as const)
  test(`${type} of ${JSON.stringify(about)}: a user of the parent has a key mailed to a customer, who acts with it until it expires`, async () => {
    const customer = await newCustomer(instance, `customer of ${type}${Object.keys(about)}`);
    const target = newTarget();
    const parameters = { email: customer.email.toUpperCase(), targetPublicKey: target.publicKeyUncompressed, ...about };
    const answer = await customer.parent.submit(type, parameters);
    const { userId, apiKeyId, ...rest } = resultOf(answer, KEY);
    assert.deepEqual([userId, rest], [customer.userId, {}]);
    const { activity } = answer.body;
    assert.equal(activity.type, `ACTIVITY_TYPE_${type}`);
    assert.deepEqual(activity.intent, { [`emailAuthIntent${type.slice('EMAIL_AUTH_'.length)}`]: parameters });
    assert.equal(activity.organizationId, customer.organizationId);

    // To the address as it is stored.
    const letter = await mail.next(customer.email);
    assert.match(letter.subject, subject);
    const bundle = /^[1-9A-HJ-NP-Za-km-z]{80,}$/m.exec(letter.text)![0];
    const keys = keysIn(bundle, target);
    const client = customer.own.as(keys);
    assert.equal(await whoIs(client), customer.userId);
    resultOf(await client.submit('CREATE_WALLET', { walletName: 'First', accounts: [] }), 'createWalletResult');
    const made = (await keysOf(customer.own, userId)).find((key) => key.apiKeyId === apiKeyId)!;
    assert.deepEqual(made.credential, { publicKey: keys.publicKey, type: KEY_TYPE });
    assert.match(made.apiKeyName, /^Email Auth - \d{10}$/);

    instance.clock.advance(600_000);
    assert.equal(await whoIs(client), customer.userId);
    instance.clock.advance(300_000);
    refused(await client.query('whoami'), [401, 'API_KEY_EXPIRED', /expired api key/]);
  });

test('many requests for mails end at most one session of the addressee', async () => {
  const customer = await newCustomer(instance, 'much mail');
  const sessions = [];
  for (let i = 0; i < 10; i++) {
    const keys = newKeys();
    resultOf(await customer.own.submit('STAMP_LOGIN', { publicKey: keys.publicKey }), 'stampLoginResult');
    sessions.push(customer.own.as(keys));
  }
  for (let i = 0; i < 10; i++) {
    const parameters = { email: customer.email, targetPublicKey: newTarget().publicKeyUncompressed, ...APP };
    resultOf(await customer.parent.submit(TYPE, parameters), KEY);
  }
  for (const session of sessions.slice(1)) assert.equal(await whoIs(session), customer.userId);
  refused(await sessions[0]!.query('whoami'), [401, 'PUBLIC_KEY_NOT_FOUND', /./]);
});

test('name and lifetime as asked; invalidateExisting removes the user’s other keys of email alone', async () => {
  const customer = await newCustomer(instance, 'many keys');
  const ask = (more: object = {}) => mailed(mail, customer.parent, TYPE, customer.email, more);
  const first = await ask({ apiKeyName: 'Phone', expirationSeconds: '600' });
  const second = await ask();
  const names = async () => (await keysOf(customer.own, customer.userId)).map(({ apiKeyName }) => apiKeyName);
  assert.equal((await names()).filter((name) => name === 'Phone').length, 1);
  for (const { keys } of [first, second]) assert.equal(await whoIs(customer.own.as(keys)), customer.userId);
  instance.clock.advance(600_000);
  refused(await customer.own.as(first.keys).query('whoami'), [401, 'API_KEY_EXPIRED', /expired/]);
  const third = await ask({ invalidateExisting: true });
  refused(await customer.own.as(second.keys).query('whoami'), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find public key/]);
  assert.equal(await whoIs(customer.own.as(third.keys)), customer.userId);
  assert.equal(await whoIs(customer.own), customer.userId, 'keys of another sort stay');
  assert.equal((await names()).length, 2);
});

test('users of the organization itself may ask too, in a top-level organization as well', async () => {
  const customer = await newCustomer(instance, 'by themselves');
  const { keys } = await mailed(mail, customer.own, TYPE, customer.email);
  assert.equal(await whoIs(customer.own.as(keys)), customer.userId);
  const email = 'top@example.com';
  const { userId } = await instance.newUser('Of the top', { userEmail: email });
  const top = await mailed(mail, root, TYPE, email);
  assert.equal(await whoIs(root.as(top.keys)), userId);
});

test('the parent’s quorum and policies decide about what its users ask for', async () => {
  const customer = await newCustomer(instance, 'decided above');
  const { client, userId } = await instance.newUser('Backend');
  const backend = client.as(client.keys, customer.organizationId);
  const denied: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /^You don't have sufficient permissions/];
  const ask = (email: string) => backend.submit(TYPE, asking(email, newTarget()));
  const there = await ask(customer.email);
  refused(there, denied);
  // A caller without permission does not learn which users exist.
  const nobody = await ask('nobody@example.com');
  const without = (text: string) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…');
  assert.equal(without(nobody.text), without(there.text));
  const policy = {
    policyName: 'the backend signs people in',
    effect: 'EFFECT_ALLOW',
    condition: "activity.resource == 'AUTH' && activity.action == 'CREATE'",
    consensus: `approvers.any(user, user.id == '${userId}')`,
    notes: '',
  };
  const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  const { keys } = await mailed(mail, backend, TYPE, customer.email);
  assert.equal(await whoIs(customer.own.as(keys)), customer.userId);
  resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
  refused(await ask(customer.email), denied);
  await refusedToNobody(instance, TYPE, samples('EMAIL_AUTH'));
});

test('where two must agree, nothing is mailed before both did', async () => {
  const pair = await newPair(instance, 'Pair of email');
  const email = 'pair@example.com';
  const users = [{ ...userWith('Reads mail', [newKeys()]), userEmail: email, userTags: [] }];
  const made = await agreed(pair, 'CREATE_USERS_V4', { users });
  const [userId] = resultOf(made, 'createUsersResult').userIds;
  const target = newTarget();
  const [first, second] = pair.clients;
  const body = first.bodyOf(TYPE, asking(email, target));
  const waiting = await first.send(submitPath(TYPE), body);
  assert.equal(waiting.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const done = await second.send(submitPath(TYPE), body);
  assert.equal(resultOf(done, KEY).userId, userId);
  const keys = keysIn(await mail.nextBundle(email), target);
  assert.equal(await whoIs(first.as(keys)), userId);
  assert.deepEqual((await first.send(submitPath(TYPE), body)).body.activity, done.body.activity);
});

test('a repeated body is one activity, one key and one mail; the bundle is in none of them', async () => {
  const customer = await newCustomer(instance, 'repeated');
  const body = customer.parent.bodyOf(TYPE, asking(customer.email, newTarget()));
  const answers = await Promise.all(Array.from({ length: 4 }, () => customer.parent.send(submitPath(TYPE), body)));
  for (const answer of answers) assert.deepEqual(resultOf(answer, KEY), resultOf(answers[0]!, KEY));
  const bundle = await mail.nextBundle(customer.email);
  assert.equal((await keysOf(customer.own, customer.userId)).length, 2);
  const { activityId } = { activityId: answers[0]!.body.activity.id };
  const shown = [
    await customer.own.query('get_activity', { activityId }),
    await customer.own.query('list_activities', { paginationOptions: { limit: '100' } }),
    await customer.own.query('get_user', { userId: customer.userId }),
    ...answers,
  ];
  for (const { text } of shown) assert.ok(!text.includes(bundle));
  const rows = await instance.raw('SELECT payload FROM outbox WHERE activity_id = $1', activityId);
  assert.ok(rows.every(({ payload }) => !String(payload).includes(bundle)));
  assert.equal(mail.received.filter(({ to }) => to === customer.email).length, 1);
});

test('of several users with one email, who verified it gets the mail; between equals nobody does', async () => {
  const customer = await newCustomer(instance, 'shared');
  const users = [{ ...userWith('Second', [newKeys()]), userEmail: customer.email.toLowerCase(), userTags: [] }];
  const [second] = resultOf(await customer.own.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const ask = () => customer.parent.submit(TYPE, asking(customer.email, newTarget()));
  refused(await ask(), [400, 'REQUEST_INVALID', /several users of this organization have this email/], 'parameters.email');
  await instance.raw('UPDATE users SET email_verified = 1, verified_email_key = email_key WHERE id = $1', second);
  const { userId } = resultOf(await ask(), KEY);
  assert.equal(userId, second);
  await mail.nextBundle(customer.email.toLowerCase());
});

test('off in the sub-organization, or in the parent that asks: nobody gets a mail', async () => {
  const off = (id: string): [number, string, RegExp] => [
    403,
    'REQUEST_NOT_AUTHORIZED',
    new RegExp(`request not authorized: ${FEATURE} is off in the organization ${id}`),
  ];
  const customer = await newCustomer(instance, 'opted out', { disableEmailAuth: true });
  const ask = (client: Client, email = customer.email) => client.submit(TYPE, asking(email, newTarget()));
  for (const client of [customer.parent, customer.own]) refused(await ask(client), off(customer.organizationId));
  await setFeature(customer.own, FEATURE, true);
  resultOf(await ask(customer.parent), KEY);
  await setFeature(root, FEATURE, false);
  refused(await ask(customer.parent), off(root.organizationId));
  resultOf(await ask(customer.own), KEY);
  await setFeature(root, FEATURE, true);
  resultOf(await ask(customer.parent), KEY);
});

test('if no user has the email, or the user is of another organization, the answer is the same', async () => {
  const customer = await newCustomer(instance, 'here');
  const other = await newCustomer(instance, 'elsewhere');
  const answers = await Promise.all(
    ['nobody@example.com', other.email].map((email) => customer.parent.submit(TYPE, asking(email, newTarget()))),
  );
  for (const answer of answers)
    refused(answer, [404, 'UNSPECIFIED', /user not found: parameters\.email is not the email of a user of this organization/]);
});

test('where no mail is sent, that is said before anybody is looked for', async () => {
  const silent = await startInstance({ DEV_OUTBOX: '' });
  silent.clock.advance(instance.clock.now() - silent.clock.now());
  try {
    await setFeature(silent.root, FEATURE, true);
    const customer = await newCustomer(silent, 'silent');
    for (const email of [customer.email, 'nobody@example.com'])
      refused(await customer.parent.submit(TYPE, asking(email, newTarget())), [
        400,
        'EMAIL_SENDING_DISABLED',
        /email sending is disabled/,
      ]);
    assert.equal((await keysOf(customer.own, customer.userId)).length, 1);
  } finally {
    await silent.close();
  }
});

test('bad parameters are named, also where others would have to agree first', async () => {
  const pair = await newPair(instance, 'Pair of bad parameters');
  const good = asking('pair@example.com', newTarget());
  const style = (more: object) => ({ ...good, emailCustomization: { appName: 'Harbour', ...more } });
  for (const client of [root, pair.clients[0]])
    await refusesEach(client, TYPE, [
      [{ ...good, email: 'nobody' }, 'parameters.email', /invalid email address/, 'INVALID_EMAIL'],
      [{ ...good, email: `${'a'.repeat(250)}@example.com` }, 'parameters.email', /invalid email address/, 'INVALID_EMAIL'],
      [{ ...good, targetPublicKey: '04ff' }, 'parameters.targetPublicKey', /must be a P-256 public key in hex/],
      [{ ...good, targetPublicKey: `04${'00'.repeat(64)}` }, 'parameters.targetPublicKey', /must be a P-256 public key in hex/],
      [{ ...good, expirationSeconds: '0' }, 'parameters.expirationSeconds', /invalid api key expiration/],
      [
        style({ magicLinkTemplate: 'https://example.com/' }),
        'parameters.emailCustomization.magicLinkTemplate',
        /invalid magic link/,
      ],
      [
        style({ templateVariables: '{' }),
        'parameters.emailCustomization.templateVariables',
        /failed to unmarshal template variables/,
      ],
      [style({ logoUrl: 'http://example.com/a.png' }), 'parameters.emailCustomization.logoUrl', /https/],
      [{ ...good, replyToEmailAddress: 'x' }, 'parameters.replyToEmailAddress', /invalid email address/, 'INVALID_EMAIL'],
    ]);
  const template = style({ templateId: '00000000-0000-7000-8000-000000000001' });
  const customer = await newCustomer(instance, 'template');
  const missing: [number, string, RegExp] = [400, 'REQUEST_INVALID', /failed to get email template contents/];
  const field = 'parameters.emailCustomization.templateId';
  refused(await customer.parent.submit(TYPE, { ...template, email: customer.email }), missing, field);
});

test('a magic link carries the bundle', async () => {
  const customer = await newCustomer(instance, 'linked');
  const target = newTarget();
  const emailCustomization = { appName: 'Harbour', magicLinkTemplate: 'https://app.example.com/#bundle=%s' };
  resultOf(await customer.parent.submit(TYPE, asking(customer.email, target, { emailCustomization })), KEY);
  const letter = await mail.next(customer.email);
  const link = /https:\/\/app\.example\.com\/#bundle=(\S+)/.exec(letter.text);
  assert.equal(await whoIs(customer.own.as(keysIn(link![1]!, target))), customer.userId);
});
