import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitingHosted } from '../../activities/quorum-keys/support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

// States without details are in tests/e2e/quorum-keys.test.ts.

const instance = await sharedInstance();
const { root } = instance;
const NAME = 'get_tvc_deployment_provisioning_details';

test('the document vouches for the ephemeral key and the manifest, and the envelope has the approvals', async () => {
  const { deployed, ephemeral } = await awaitingHosted(instance, root);
  const { body } = await root.query(NAME, { deploymentId: deployed.deploymentId });
  assert.equal(body.provisioningState, 'PROVISIONING_STATE_AWAITING_PROVISION');
  const document = instance.engine.vault.attestations.openAttestation(Buffer.from(body.attestationDocument, 'base64'))!;
  assert.deepEqual(document.publicKey, ephemeral.publicKey);
  assert.deepEqual(document.userData, deployed.hash);
  const { manifest, manifestSetApprovals, shareSetApprovals } = JSON.parse(
    Buffer.from(body.manifestEnvelope, 'base64').toString(),
  );
  assert.deepEqual(manifest, JSON.parse(deployed.manifest.toString()));
  assert.deepEqual(
    manifestSetApprovals,
    deployed.approvers.map((one) => ({
      signature: manifestSetApprovals.find((a: { member: { alias: string } }) => a.member.alias === one.name).signature,
      member: { alias: one.name, pubKey: one.publicKey },
    })),
  );
  assert.deepEqual(shareSetApprovals, []);
});

test('a deployment of another organization is not found', async () => {
  const { deployed } = await awaitingHosted(instance, root);
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  for (const [client, deploymentId] of [
    [sub, deployed.deploymentId],
    [root, NOBODY],
  ] as const)
    refused(await client.query(NAME, { deploymentId }), [404, 'UNSPECIFIED', /deployment not found/]);
});
