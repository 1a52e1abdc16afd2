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
const FEATURE = 'FEATURE_NAME_EMAIL_RECOVERY';
await setFeature(root, FEATURE, true);

const TYPE = 'INIT_USER_EMAIL_RECOVERY_V2';
const KEY = 'initUserEmailRecoveryResult';
const KEY_TYPE = 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256';
const ALONE: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /a recovery key may submit only RECOVER_USER/];

for (const [type, about] of [
  ['INIT_USER_EMAIL_RECOVERY', {}],
  ['INIT_USER_EMAIL_RECOVERY_V2', { emailCustomization: { appName: 'Harbour' } }],
  ['INIT_USER_EMAIL_RECOVERY_V2', {}],
] as const)
  test(`${type} of ${JSON.stringify(about)}: the parent has a key mailed that asks queries, and submits nothing else, until it expires`, async () => {
    const customer = await newCustomer(instance, `customer of ${type}${Object.keys(about)}`);
    const target = newTarget();
    const parameters = { email: customer.email.toUpperCase(), targetPublicKey: target.publicKeyUncompressed, ...about };
    const answer = await customer.parent.submit(type, parameters);
    assert.deepEqual(resultOf(answer, KEY), { userId: customer.userId });
    const { activity } = answer.body;
    const version = type.endsWith('_V2') ? 'V2' : '';
    assert.deepEqual(
      [activity.type, activity.intent],
      [`ACTIVITY_TYPE_${type}`, { [`initUserEmailRecoveryIntent${version}`]: parameters }],
    );
    const bundle = await mail.nextBundle(customer.email);
    const keys = keysIn(bundle, target);
    const client = customer.own.as(keys);
    assert.equal(await whoIs(client), customer.userId);
    const { apiKeys } = (await customer.own.query('get_api_keys', { userId: customer.userId })).body;
    const made = apiKeys.find((key: { credential: { type: string } }) => key.credential.type === KEY_TYPE);
    assert.equal(made.credential.publicKey, keys.publicKey);
    assert.match(made.apiKeyName, /^Email Recovery - \d{10}$/);
    // Even what anybody may do to their own credentials, and votes.
    for (const [wanted, body] of [
      ['CREATE_API_KEYS_V2', { userId: customer.userId, apiKeys: [] }],
      ['CREATE_WALLET', { walletName: 'Mine', accounts: [] }],
      ['APPROVE_ACTIVITY', { fingerprint: activity.fingerprint }],
      [TYPE, asking(customer.email, newTarget())],
    ] as const)
      refused(await client.submit(wanted, body), ALONE);
    assert.ok(!(await customer.own.query('list_activities')).text.includes(bundle));
    instance.clock.advance(900_000);
    refused(await client.query('whoami'), [401, 'API_KEY_EXPIRED', /expired api key/]);
  });

test('a lifetime as asked, and several keys at once', async () => {
  const customer = await newCustomer(instance, 'twice');
  const first = await mailed(mail, customer.own, TYPE, customer.email, { expirationSeconds: '600' });
  const second = await mailed(mail, customer.own, TYPE, customer.email);
  for (const { keys } of [first, second]) assert.equal(await whoIs(customer.own.as(keys)), customer.userId);
  instance.clock.advance(600_000);
  refused(await customer.own.as(first.keys).query('whoami'), [401, 'API_KEY_EXPIRED', /expired/]);
  assert.equal(await whoIs(customer.own.as(second.keys)), customer.userId);
});

test('the parent’s policies decide about what its users ask for; RECOVERY is a resource of its own', async () => {
  const customer = await newCustomer(instance, 'decided above');
  const { client, userId } = await instance.newUser('Help desk');
  const desk = client.as(client.keys, customer.organizationId);
  const denied: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /^You don't have sufficient permissions/];
  const ask = () => desk.submit(TYPE, asking(customer.email, newTarget()));
  const allow = async (resource: string) => {
    const policy = {
      policyName: `the help desk and ${resource}`,
      effect: 'EFFECT_ALLOW',
      condition: `activity.resource == '${resource}' && activity.action == 'CREATE'`,
      consensus: `approvers.any(user, user.id == '${userId}')`,
      notes: '',
    };
    resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  };
  refused(await ask(), denied);
  await allow('AUTH');
  refused(await ask(), denied);
  await allow('RECOVERY');
  resultOf(await ask(), KEY);
  await refusedToNobody(instance, TYPE, samples('INIT_USER_EMAIL_RECOVERY'));
});

test('where two must agree, nothing is mailed before both did', async () => {
  const pair = await newPair(instance, 'Pair of recovery');
  const email = 'pair@example.com';
  const users = [{ ...userWith('Reads mail', [newKeys()]), userEmail: email, userTags: [] }];
  const [userId] = resultOf(await agreed(pair, 'CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const target = newTarget();
  const done = await agreed(pair, TYPE, asking(email, target));
  assert.deepEqual(resultOf(done, KEY), { userId });
  assert.equal(await whoIs(pair.clients[0].as(keysIn(await mail.nextBundle(email), target))), userId);
});

test('off in the sub-organization, or in the parent that asks: nobody gets a mail. The earlier name of the feature counts', async () => {
  const off = (id: string): [number, string, RegExp] => [
    403,
    'REQUEST_NOT_AUTHORIZED',
    new RegExp(`${FEATURE} is off in the organization ${id}`),
  ];
  const customer = await newCustomer(instance, 'opted out', { disableEmailRecovery: true });
  const ask = (client: Client) => client.submit(TYPE, asking(customer.email, newTarget()));
  for (const client of [customer.parent, customer.own]) refused(await ask(client), off(customer.organizationId));
  await setFeature(customer.own, 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY', true);
  resultOf(await ask(customer.parent), KEY);
  await setFeature(root, FEATURE, false);
  refused(await ask(customer.parent), off(root.organizationId));
  resultOf(await ask(customer.own), KEY);
  await setFeature(root, FEATURE, true);
});

test('an unknown user is refused, and so is an organization that sends no mail', async () => {
  const customer = await newCustomer(instance, 'here');
  const other = await newCustomer(instance, 'elsewhere');
  for (const email of ['nobody@example.com', other.email])
    refused(await customer.parent.submit(TYPE, asking(email, newTarget())), [
      404,
      'UNSPECIFIED',
      /user not found: parameters\.email/,
    ]);
  const users = [{ ...userWith('Second', [newKeys()]), userEmail: customer.email, userTags: [] }];
  resultOf(await customer.own.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  const several: [number, string, RegExp] = [400, 'REQUEST_INVALID', /several users of this organization have this email/];
  refused(await customer.parent.submit(TYPE, asking(customer.email, newTarget())), several, 'parameters.email');
  const silent = await startInstance({ DEV_OUTBOX: '' });
  silent.clock.advance(instance.clock.now() - silent.clock.now());
  try {
    const own = await newCustomer(silent, 'silent');
    refused(await own.own.submit(TYPE, asking(own.email, newTarget())), [
      400,
      'EMAIL_SENDING_DISABLED',
      /email sending is disabled/,
    ]);
  } finally {
    await silent.close();
  }
});

test('a repeated body is one activity and one mail', async () => {
  const customer = await newCustomer(instance, 'repeated');
  const body = customer.parent.bodyOf(TYPE, asking(customer.email, newTarget()));
  const answers = await Promise.all(Array.from({ length: 4 }, () => customer.parent.send(submitPath(TYPE), body)));
  assert.equal(new Set(answers.map((answer) => answer.body.activity.id)).size, 1);
  await mail.nextBundle(customer.email);
  assert.equal(mail.received.filter(({ to }) => to === customer.email).length, 1);
});

test('bad parameters are named', async () => {
  const good = asking('nobody@example.com', newTarget());
  await refusesEach(root, TYPE, [
    [{ ...good, email: 'nobody' }, 'parameters.email', /invalid email address/, 'INVALID_EMAIL'],
    [{ ...good, targetPublicKey: 'xyz' }, 'parameters.targetPublicKey', /must be a P-256 public key in hex/],
    [{ ...good, expirationSeconds: '1.5' }, 'parameters.expirationSeconds', /positive whole number of seconds/],
    [{ ...good, sendFromEmailAddress: 'x' }, 'parameters.sendFromEmailAddress', /invalid email address/, 'INVALID_EMAIL'],
  ]);
});
