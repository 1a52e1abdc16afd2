import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newQuorumKey, severalHosted } from '../../activities/quorum-keys/support.ts';
import { sharedInstance } from '../../support/instance.ts';

const { root, newSubOrganization } = await sharedInstance();

test('quorum keys are listed in the order of their creation, without shares', async () => {
  const hosted = await severalHosted(root, 2);
  const made = [await newQuorumKey(root, hosted), await newQuorumKey(root, hosted)];
  const { text, body } = await root.query('list_tvc_quorum_keys');
  const ids = body.tvcQuorumKeys.map(({ id, publicKey }: { id: string; publicKey: string }) => [id, publicKey]);
  assert.deepEqual(
    ids,
    made.map(({ quorumKeyId, quorumPublicKey }) => [quorumKeyId, quorumPublicKey]),
  );
  assert.doesNotMatch(text, /share|sealed/i);
});

test('an organization sees no keys of another', async () => {
  const sub = (await newSubOrganization('Sub', 1, 1)).clients[0]!;
  assert.deepEqual((await sub.query('list_tvc_quorum_keys')).body, { tvcQuorumKeys: [] });
});
