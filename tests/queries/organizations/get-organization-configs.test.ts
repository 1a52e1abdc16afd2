import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getOrganizationConfigs } from '../../../src/queries/organizations/get-organization-configs.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { RECEIVER } from '../../support/samples.ts';

const instance = await sharedInstance();

test('the quorum, and the features that are on', async () => {
  const configs = async () => {
    const { body } = await instance.root.query('get_organization_configs');
    assert.deepEqual(getOrganizationConfigs.result.parse(body), body, 'the answer has its declared shape');
    return body.configs;
  };
  const quorum = { threshold: 1, userIds: [instance.credentials.userId] };
  const start = ['EMAIL_AUTH', 'OTP_EMAIL_AUTH'].map((name) => ({ name: `FEATURE_NAME_${name}`, value: '' }));
  assert.deepEqual(await configs(), { features: start, quorum });
  const feature = { name: 'FEATURE_NAME_WEBHOOK', value: RECEIVER };
  resultOf(await instance.root.submit('SET_ORGANIZATION_FEATURE', feature), 'setOrganizationFeatureResult');
  assert.deepEqual(await configs(), { features: [...start, feature], quorum });
});

test('of a sub-organization, to its parent too', async () => {
  const sub = await instance.newSubOrganization('Sub', 3, 2);
  const wanted = {
    features: ['EMAIL_AUTH', 'EMAIL_RECOVERY', 'OTP_EMAIL_AUTH', 'SMS_AUTH'].map((name) => ({
      name: `FEATURE_NAME_${name}`,
      value: '',
    })),
    quorum: { threshold: 2, userIds: sub.userIds },
  };
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  for (const client of [parent, sub.clients[2]!])
    assert.deepEqual((await client.query('get_organization_configs')).body.configs, wanted);
});
