import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTvcQuorumKeys } from '../../../src/queries/quorum-keys/list-tvc-quorum-keys.ts';
import { samples } from '../../support/all-samples.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const sample = samples('list_tvc_quorum_keys') as object;

test('a stored one is found', async () => {
  const { status, body, text } = await instance.root.query('list_tvc_quorum_keys', sample);
  assert.equal(status, 200, text);
  assert.deepEqual(listTvcQuorumKeys.result.parse(body), body, 'the answer has its declared shape');
  assert.fail('compare it with what was made');
});

test('a missing one is not found, and neither is one of another organization', () => {
  assert.fail('show that no other organization sees it');
});
