import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusedToNobody } from '../support.ts';

const instance = await sharedInstance();

test('a refusal of recoveries is shown by the organization, and needs the root quorum', async () => {
  await refusedToNobody(instance, 'COUNTERSIGN_REFUSE_ROOT_RECOVERY', {});
  const shown = async () => (await instance.root.query('get_organization')).body.organizationData.countersignRootRecovery;
  assert.equal(await shown(), undefined);
  const answer = await instance.root.submit('COUNTERSIGN_REFUSE_ROOT_RECOVERY', {});
  assert.deepEqual(resultOf(answer, 'countersignRefuseRootRecoveryResult'), {});
  assert.deepEqual(await shown(), { refused: true });
});
