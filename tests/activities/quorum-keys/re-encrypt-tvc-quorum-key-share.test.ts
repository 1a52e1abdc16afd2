import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openQuorumBytes } from '../../../src/crypto/quorum-envelope.ts';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';
import { refusedToNobody } from '../support.ts';
import { attestedIn, awaitingHosted, newDeployment, newQuorumKey, Outsider, outsideQuorumKey, reEncrypting } from './support.ts';

// Round trips and refusals of documents are in tests/e2e/quorum-keys.test.ts.

const instance = await sharedInstance();
const { root } = instance;

const TYPE = 'RE_ENCRYPT_TVC_QUORUM_KEY_SHARE';
const KEY = 'reEncryptTvcQuorumKeyShareResult';

test('the share is sealed to the ephemeral key, by the leave of a policy that names the operator', async () => {
  const { hosted, deployed, ephemeral } = await awaitingHosted(instance, root);
  const { client, userId } = await instance.newUser('Operator');
  const condition = `activity.kind == '${TYPE}' && activity.params.operator_encrypt_key == '${hosted[0]!.encryptPublicKey}'`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  denied(await client.submit(TYPE, await reEncrypting(root, deployed, hosted[1]!)));
  const { provisioningShareId } = resultOf(await client.submit(TYPE, await reEncrypting(root, deployed, hosted[0]!)), KEY);
  const { organizationId, deploymentId } = deployed;
  const [share] = await instance.engine.store.read.tvcProvisioningShares.ofDeployment(organizationId, deploymentId);
  assert.equal(share!.id, provisioningShareId);
  const plain = openQuorumBytes(share!.sealed, ephemeral.keys.encrypt, ephemeral.publicKey.subarray(0, 65));
  assert.deepEqual([plain.length, plain[0]], [33, 1]);
});

test('the service hands over only shares that it has, by keys that it has', async () => {
  const { hosted } = await awaitingHosted(instance, root);
  const outsiders = [new Outsider('a'), new Outsider('b')];
  const elsewhere = await newDeployment(root, { quorumPublicKey: outsideQuorumKey(outsiders), hosted, outsiders });
  await elsewhere.approve();
  await attestedIn(instance, elsewhere);
  const ofElsewhere = await reEncrypting(root, elsewhere, hosted[0]!);
  refused(await root.submit(TYPE, ofElsewhere), [404, 'UNSPECIFIED', /quorum key not found/]);
  const third = (await awaitingHosted(instance, root)).hosted;
  const { quorumPublicKey } = await newQuorumKey(root, hosted);
  const mixed = await newDeployment(root, { quorumPublicKey, hosted: [...hosted, third[0]!], outsiders });
  await mixed.approve();
  await attestedIn(instance, mixed);
  refused(await root.submit(TYPE, await reEncrypting(root, mixed, third[0]!)), [404, 'UNSPECIFIED', /share not found/]);
  const { walletId } = hosted[1]!;
  resultOf(await root.submit('DELETE_WALLETS', { walletIds: [walletId], deleteWithoutExport: true }), 'deleteWalletsResult');
  refused(await root.submit(TYPE, await reEncrypting(root, mixed, hosted[1]!)), [400, 'REQUEST_INVALID', /does not hold/]);
});

test('a deployment of another organization is not found', async () => {
  const { hosted, deployed } = await awaitingHosted(instance, root);
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  refused(await sub.submit(TYPE, await reEncrypting(root, deployed, hosted[0]!)), [404, 'UNSPECIFIED', /deployment not found/]);
});

test('a user without permission is refused', async () => {
  const { hosted, deployed } = await awaitingHosted(instance, root);
  await refusedToNobody(instance, TYPE, await reEncrypting(root, deployed, hosted[0]!));
});
