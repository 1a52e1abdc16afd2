import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { listVelocityEntries } from '../../../src/queries/velocity-controls/list-velocity-entries.ts';
import { signWei, weiControl } from '../../activities/velocity-controls/spends.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const { root } = await sharedInstance();
const signed: string[] = [];
let velocityControlId: string;
let bucket: string;

const entries = async (parameters: object) => {
  const { status, body, text } = await root.query('list_velocity_entries', { velocityControlId, bucket, ...parameters });
  assert.equal(status, 200, text);
  assert.deepEqual(listVelocityEntries.result.parse(body), body, 'the answer has its declared shape');
  return body;
};

before(async () => {
  const wallet = { walletName: 'W', accounts: [ethereumAccount()] };
  const { walletId, addresses } = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult');
  const made = await root.submit('CREATE_VELOCITY_CONTROL', weiControl('by_wallet', 5n, {}, { groupBy: { wallet: {} } }));
  [{ velocityControlId }, bucket] = [resultOf(made, 'createVelocityControlResult'), walletId];
  for (const value of [3n, 4n])
    signed.push((await root.submit('SIGN_TRANSACTION_V2', signWei(addresses[0], value))).body.activity.id);
});

test('each activity that a bucket counted is listed with its amount, page by page', async () => {
  const { velocityEntries, next } = await entries({});
  assert.deepEqual(
    velocityEntries.map((one: Record<string, string>) => [one.activityId, one.bucket, one.amount, one.count, one.state]),
    signed.map((id, i) => [id, bucket, `0.00000000000000000${i + 3}`, '1', 'SPENT']),
  );
  assert.equal(next, undefined);
  assert.equal((await entries({ paginationOptions: { limit: '1' } })).next, signed[0]);
  const second = await entries({ paginationOptions: { limit: '5', after: signed[0] } });
  assert.deepEqual(second, { velocityEntries: [velocityEntries[1]] });
  const back = { velocityEntries: [velocityEntries[0]], next: signed[0] };
  for (const limit of ['1', '5']) assert.deepEqual(await entries({ paginationOptions: { limit, before: signed[1] } }), back);
  assert.deepEqual(await entries({ paginationOptions: { before: signed[0] } }), { velocityEntries: [] });
  assert.deepEqual(await entries({ bucket: 'another' }), { velocityEntries: [] });
});

test('an unknown control is not found', async () => {
  const answer = await root.query('list_velocity_entries', { velocityControlId: NOBODY });
  refused(answer, [404, 'UNSPECIFIED', /velocity control not found/]);
});
