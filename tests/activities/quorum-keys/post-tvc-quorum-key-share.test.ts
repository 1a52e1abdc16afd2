import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody } from '../support.ts';
import { awaitingOutsiders } from './support.ts';

// Round trips and refusals of shares are in tests/e2e/quorum-keys.test.ts.

const instance = await sharedInstance();
const { root } = instance;

const TYPE = 'POST_TVC_QUORUM_KEY_SHARE';
const KEY = 'postTvcQuorumKeyShareResult';
const { outsiders, deployed, ephemeral } = await awaitingOutsiders(instance, root);
const posting = (i: number) => outsiders[i]!.posting(deployed, ephemeral.ephemeralPublicKey);

test('a policy sees the deployment, the operator and the key', async () => {
  const { client, userId } = await instance.newUser('Poster');
  const condition = `activity.kind == '${TYPE}' && activity.params.operator_id == '${outsiders[0]!.operatorId}' && activity.params.deployment_id == '${deployed.deploymentId}'`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  denied(await client.submit(TYPE, posting(1)));
  resultOf(await client.submit(TYPE, posting(0)), KEY);
});

test('a deployment of another organization is not found', async () => {
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  refused(await sub.submit(TYPE, posting(1)), [404, 'UNSPECIFIED', /deployment not found/]);
  refused(await root.submit(TYPE, { ...posting(1), deploymentId: NOBODY }), [404, 'UNSPECIFIED', /deployment not found/]);
});

test('a user without permission is refused', () => refusedToNobody(instance, TYPE, posting(1)));

test('bad parameters are named', async () => {
  const good = posting(1);
  const bundle = good.shareApprovalBundle;
  const field = 'parameters.shareApprovalBundle';
  await refusesEach(root, TYPE, [
    [{ ...good, ephemeralPublicKeyHex: '04' }, 'parameters.ephemeralPublicKeyHex', /must be two uncompressed/],
    [{ ...good, shareApprovalBundle: { ...bundle, signature: '00' } }, `${field}.signature`, /must be r and s/],
    [
      { ...good, shareApprovalBundle: { ...bundle, reEncryptedShareHex: '00' } },
      `${field}.reEncryptedShareHex`,
      /260 hex digits/,
    ],
  ]);
});
