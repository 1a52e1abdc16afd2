import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { newPolicy, newUser, policiesOf, policyFor } from './support.ts';

const instance = await sharedInstance();

const TYPE = 'UPDATE_MFA_POLICY';
const KEY = 'updateMfaPolicyResult';

test('given fields change, and omitted fields stay', async () => {
  const { userId } = await newUser(instance.root, 'One');
  const mfaPolicyId = await newPolicy(instance.root, userId);
  const [{ updatedAt: _, ...before }] = await policiesOf(instance.root, userId);
  const changes = [
    { mfaPolicyName: 'Other' },
    { condition: 'true' },
    { requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_EMAIL_OTP' }] }] },
    { order: 7 },
    { notes: '' },
    {},
  ];
  let expected = before;
  for (const change of changes) {
    const done = await instance.root.submit(TYPE, { userId, mfaPolicyId, ...change });
    assert.deepEqual(resultOf(done, KEY), { mfaPolicyId });
    expected = { ...expected, ...change };
    const [{ updatedAt, ...now }] = await policiesOf(instance.root, userId);
    assert.deepEqual(now, expected);
  }
});

test('whose user or policy is not there, and a policy of another user', async () => {
  const [one, other] = [await newUser(instance.root, 'Has'), await newUser(instance.root, 'Has none')];
  const mfaPolicyId = await newPolicy(instance.root, one.userId);
  const change = { mfaPolicyName: 'Changed' };
  const unknown = [404, 'UNSPECIFIED', /mfa policy not found: parameters\.mfaPolicyId names/] as const;
  refused(await instance.root.submit(TYPE, { userId: one.userId, mfaPolicyId: NOBODY, ...change }), [...unknown]);
  refused(await instance.root.submit(TYPE, { userId: other.userId, mfaPolicyId, ...change }), [...unknown]);
  refused(await instance.root.submit(TYPE, { userId: NOBODY, mfaPolicyId, ...change }), [404, 'UNSPECIFIED', /user not found/]);
  const below = await instance.newSubOrganization('Below', 1, 1);
  refused(await below.clients[0]!.submit(TYPE, { userId: one.userId, mfaPolicyId, ...change }), [
    404,
    'UNSPECIFIED',
    /user not found/,
  ]);
  assert.equal((await policiesOf(instance.root, one.userId))[0].mfaPolicyName, 'Sample');
});

test('bad parameters are named', async () => {
  const [one, other] = [await newUser(instance.root, 'Own key'), await newUser(instance.root, 'Other key')];
  const sample = { userId: one.userId, mfaPolicyId: await newPolicy(instance.root, one.userId) };
  const steps = (requiredAuthenticationMethods: unknown) => ({ ...sample, requiredAuthenticationMethods });
  const field = 'parameters.requiredAuthenticationMethods';
  await refusesEach(instance.root, TYPE, [
    [{ ...sample, condition: '' }, 'parameters.condition', /must not be blank/],
    [{ ...sample, condition: 'nothing.there' }, 'parameters.condition', /^invalid condition: .*nothing/],
    [{ ...sample, order: -1 }, 'parameters.order', /0 or more/],
    [{ ...sample, notes: 1 }, 'parameters.notes', /./],
    [steps([{ any: [{ type: 'AUTHENTICATION_TYPE_SMS_OTP', id: NOBODY }] }]), `${field}[0].any[0].id`, /must be left out/],
    [
      steps([{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY', id: other.apiKeyId }] }]),
      `${field}[0].any[0].id`,
      /must be one of the API keys/,
    ],
  ]);
  resultOf(await instance.root.submit(TYPE, steps([{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY', id: one.apiKeyId }] }])), KEY);
});

test('the policies of a user have so much text', async () => {
  const { userId } = await newUser(instance.root, 'With much text');
  const condition = `false${' '.repeat(16_000)}`;
  const made = resultOf(
    await instance.root.submit('CREATE_MFA_POLICY', { ...policyFor(userId), condition }),
    'createMfaPolicyResult',
  );
  resultOf(
    await instance.root.submit('CREATE_MFA_POLICY', { ...policyFor(userId), condition, order: 1 }),
    'createMfaPolicyResult',
  );
  const change = { userId, mfaPolicyId: made.mfaPolicyId };
  const over = await instance.root.submit(TYPE, { ...change, notes: 'n'.repeat(1000) });
  refused(over, [429, 'UNSPECIFIED', /characters in MFA policies: at most 32768 in .* \(LIMIT_MFA_POLICY_CHARACTERS\)/]);
  resultOf(await instance.root.submit(TYPE, { ...change, condition: 'true', notes: 'n'.repeat(1000) }), KEY);
});
