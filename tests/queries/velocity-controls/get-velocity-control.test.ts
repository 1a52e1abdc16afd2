import assert from 'node:assert/strict';
import { test } from 'node:test';
import { velocityControl } from '../../activities/velocity-controls/support.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const instance = await sharedInstance();

test('one control is shown, and an unknown one is not found', async () => {
  const made = resultOf(await instance.root.submit('CREATE_VELOCITY_CONTROL', velocityControl()), 'createVelocityControlResult');
  const { velocityControl: shown } = (await instance.root.query('get_velocity_control', made)).body;
  assert.deepEqual([shown.velocityControlId, shown.identifier], [made.velocityControlId, 'usdc_per_day']);
  refused(await instance.root.query('get_velocity_control', { velocityControlId: NOBODY }), [404, 'UNSPECIFIED', /not found/]);
});
