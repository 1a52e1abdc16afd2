import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findConfig } from '../../src/auth-proxy/find-config.ts';
import { proxySubmit } from '../../src/auth-proxy/submit.ts';
import type { ApiError } from '../../src/base/errors.ts';
import { aggregation, method, operator, velocityControl } from '../activities/velocity-controls/support.ts';
import { newKeys, resultOf, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

const { root, engine } = await sharedInstance();
const enabled = resultOf(await root.submit('ENABLE_AUTH_PROXY', {}), 'enableAuthProxyResult');
const { configId } = resultOf(await root.submit('UPDATE_AUTH_PROXY_CONFIG', {}), 'updateAuthProxyConfigResult');
const proxy = (await findConfig(engine, configId))!;

const signUp = (name: string) => ({
  subOrganizationName: name,
  rootQuorumThreshold: 1,
  rootUsers: [userWith(name, [newKeys()])],
});

test('a configuration is found by its id in any case, and no other is', async () => {
  assert.equal(proxy.organization.id, root.organizationId);
  assert.equal(proxy.organization.proxyUserId, enabled.userId);
  assert.deepEqual(await findConfig(engine, configId.toUpperCase()), proxy);
  assert.equal(await findConfig(engine, root.organizationId), undefined);
});

test('the record of what the proxy submits is verified as any other', async () => {
  const { result, activityId } = await proxySubmit(engine, proxy, 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8', signUp('Sub'));
  assert.match(result.subOrganizationId as string, /^[0-9a-f-]{36}$/);
  const { activity } = (await root.query('get_activity', { activityId })).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
  assert.equal(activity.votes[0].userId, enabled.userId);
  assert.equal(activity.votes[0].publicKey, proxy.config.publicKey);
});

test('two equal requests that arrive together are two activities', async () => {
  const wish = signUp('Twin');
  wish.rootUsers = [userWith('Twin', [])].map((user) => ({ ...user, userEmail: 'twin@example.com' }));
  const both = await Promise.all([0, 1].map(() => proxySubmit(engine, proxy, 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8', wish)));
  assert.notEqual(both[0]!.result.subOrganizationId, both[1]!.result.subOrganizationId);
});

test('a limit over time refuses by its code alone', async () => {
  const type = 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8';
  const control = velocityControl({
    identifier: 'no_sign_ups',
    countersign: { enforcement: 'ALWAYS' },
    dataSource: { activityExecution: { filter: { activity: [{ activityType: type }] } } },
    aggregation: aggregation({ method: method('COUNT'), operator: operator('LESS_THAN'), threshold: '1' }),
  });
  resultOf(await root.submit('CREATE_VELOCITY_CONTROL', control), 'createVelocityControlResult');
  await assert.rejects(proxySubmit(engine, proxy, type, signUp('Refused')), (error: ApiError) => {
    assert.equal(error.code, 'VELOCITY_CONTROL_EXCEEDED');
    assert.doesNotMatch(JSON.stringify([error.message, error.details]), /no_sign_ups|bucket|threshold/);
    return true;
  });
});
