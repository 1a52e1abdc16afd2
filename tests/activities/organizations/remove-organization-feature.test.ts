import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';

const instance = await sharedInstance();

const TYPE = 'REMOVE_ORGANIZATION_FEATURE';
const KEY = 'removeOrganizationFeatureResult';
const names = (features: { name: string }[]) => features.map(({ name }) => name.replace('FEATURE_NAME_', ''));

test('switched off, and what is left is the answer', async () => {
  const sub = await instance.newSubOrganization('Features', 1, 1);
  const [root] = sub.clients;
  const shown = async () => names((await root!.query('get_organization_configs')).body.configs.features);
  assert.deepEqual(await shown(), ['EMAIL_AUTH', 'EMAIL_RECOVERY', 'OTP_EMAIL_AUTH', 'SMS_AUTH']);
  const { features } = resultOf(await root!.submit(TYPE, { name: 'FEATURE_NAME_EMAIL_AUTH' }), KEY);
  assert.deepEqual(names(features), ['EMAIL_RECOVERY', 'OTP_EMAIL_AUTH', 'SMS_AUTH']);
  assert.deepEqual(await shown(), names(features));
});

test('one that is off stays off', async () => {
  const { features } = resultOf(await instance.root.submit(TYPE, { name: 'FEATURE_NAME_SMS_AUTH' }), KEY);
  assert.deepEqual(names(features), ['EMAIL_AUTH', 'OTP_EMAIL_AUTH']);
});

test('the last way in of a root user is not switched off', async () => {
  const { root } = instance;
  const keys = newKeys();
  const owner = userWith('Owner', [], { userEmail: 'owner@example.com', apiKeys: [apiKey(keys, { expirationSeconds: '900' })] });
  const made = await root.submit('CREATE_SUB_ORGANIZATION_V8', {
    subOrganizationName: 'By mail',
    rootQuorumThreshold: 1,
    rootUsers: [owner],
  });
  const { subOrganizationId, rootUserIds } = resultOf(made, 'createSubOrganizationResultV8');
  const own = root.as(keys, subOrganizationId);
  const off = (name: string) => own.submit(TYPE, { name });
  resultOf(await off('FEATURE_NAME_SMS_AUTH'), KEY);
  resultOf(await off('FEATURE_NAME_EMAIL_AUTH'), KEY);
  const last = await off('FEATURE_NAME_OTP_EMAIL_AUTH');
  refused(last, [400, 'REQUEST_INVALID', /at least one valid credential/], 'parameters.name');
  resultOf(
    await own.submit('CREATE_API_KEYS_V2', { userId: rootUserIds[0], apiKeys: [apiKey(newKeys())] }),
    'createApiKeysResult',
  );
  resultOf(await off('FEATURE_NAME_OTP_EMAIL_AUTH'), KEY);
});
