import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getTvcDeploymentProvisioningDetails } from '../../../src/queries/quorum-keys/get-tvc-deployment-provisioning-details.ts';
import { samples } from '../../support/all-samples.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const sample = samples('get_tvc_deployment_provisioning_details') as object;

test('a stored one is found', async () => {
  const { status, body, text } = await instance.root.query('get_tvc_deployment_provisioning_details', sample);
  assert.equal(status, 200, text);
  assert.deepEqual(getTvcDeploymentProvisioningDetails.result.parse(body), body, 'the answer has its declared shape');
  assert.fail('compare it with what was made');
});

test('a missing one is not found, and neither is one of another organization', () => {
  assert.fail('show that no other organization sees it');
});
