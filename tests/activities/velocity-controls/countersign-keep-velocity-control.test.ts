import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { waitFor } from '../../support/wait.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { signWei, weiControl } from './spends.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;
const TYPE = 'COUNTERSIGN_KEEP_VELOCITY_CONTROL';
const KEY = 'countersignKeepVelocityControlResult';

const delayed = (identifier: string) =>
  weiControl(identifier, 10n, { countersign: { enforcement: 'ALWAYS', removalDelay: '3600' } });

async function create(identifier: string): Promise<string> {
  const answer = await root.submit('CREATE_VELOCITY_CONTROL', delayed(identifier));
  return resultOf(answer, 'createVelocityControlResult').velocityControlId;
}
const remove = (velocityControlId: string) => root.submit('DELETE_VELOCITY_CONTROL', { velocityControlId });
const keep = (velocityControlId: string) => root.submit(TYPE, { velocityControlId });
const get = (velocityControlId: string) => root.query('get_velocity_control', { velocityControlId });
const gone = (velocityControlId: string) => async () => (await get(velocityControlId)).status === 404;
/** How many messages about its removal wait. */
async function messagesOf(id: string): Promise<number> {
  const rows = await instance.raw("SELECT payload FROM outbox WHERE topic = 'velocity-removal' AND state = 'ready'");
  return rows.filter(({ payload }) => String(payload).includes(id)).length;
}
/** The next removal that is due lies ahead. */
const tried = () =>
  waitFor('the removal was tried', async () => {
    const first = await instance.engine.store.read.outbox.nextDue('velocity-removal');
    return first !== undefined && first > instance.clock.now();
  });

test('a control with a delay binds the root quorum until the delay has passed, and its removal can be taken back', async () => {
  const made = await root.submit('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] });
  const [address] = resultOf(made, 'createWalletResult').addresses;
  const id = await create('slow');
  const exceeds = async () =>
    refused(await root.submit('SIGN_TRANSACTION_V2', signWei(address, 11n)), [403, 'UNSPECIFIED', /control slow: /]);
  refused(await keep(id), [400, 'REQUEST_INVALID', /is not being removed/]);
  const before = instance.clock.now();
  resultOf(await remove(id), 'deleteVelocityControlResult');
  const { countersign } = (await get(id)).body.velocityControl;
  const at = Number(countersign.removesAt.seconds) - 3600;
  assert.ok(at >= Math.floor(before / 1000) && at <= instance.clock.now() / 1000, `${at}`);
  refused(await remove(id), [400, 'REQUEST_INVALID', /is removed at \S+Z already: COUNTERSIGN_KEEP_VELOCITY_CONTROL keeps it/]);
  await exceeds();
  assert.deepEqual(resultOf(await keep(id), KEY), {});
  assert.equal((await get(id)).body.velocityControl.countersign.removesAt, undefined);
  instance.clock.advance(1_800_000);
  resultOf(await remove(id), 'deleteVelocityControlResult');
  // The first removal is due, and was taken back.
  instance.clock.advance(1_900_000);
  await tried();
  await exceeds();
  instance.clock.advance(1_900_000);
  await waitFor('the control is gone', gone(id));
  assert.equal((await root.submit('SIGN_TRANSACTION_V2', signWei(address, 11n))).status, 200);
  refused(await keep(id), [404, 'UNSPECIFIED', /velocity control not found/]);
  await create('slow');
});

test('removals that were taken back leave no messages, and only the last one counts', async () => {
  const id = await create('again');
  for (let round = 0; round < 3; round++) {
    resultOf(await remove(id), 'deleteVelocityControlResult');
    resultOf(await keep(id), KEY);
    instance.clock.advance(60_000);
  }
  resultOf(await remove(id), 'deleteVelocityControlResult');
  const { seconds } = (await get(id)).body.velocityControl.countersign.removesAt;
  instance.clock.advance(Number(seconds) * 1000 - instance.clock.now() - 30_000);
  await waitFor('one message waits', async () => (await messagesOf(id)) === 1);
  assert.equal((await get(id)).status, 200);
  instance.clock.advance(60_000);
  await waitFor('the control is gone', gone(id));
});

test('policies may read a control on its way out, and keep it while they do', async () => {
  const id = await create('read');
  resultOf(await remove(id), 'deleteVelocityControlResult');
  const policy = { policyName: 'Reads', effect: 'EFFECT_DENY', condition: '!controls.read', notes: '' };
  const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  instance.clock.advance(3_700_000);
  await tried();
  assert.equal((await get(id)).status, 200);
  refused(await remove(id), [400, 'REQUEST_INVALID', new RegExp(`change or delete these first: ${policyId}`)]);
  resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
  instance.clock.advance(3_700_000);
  await waitFor('the control is gone', gone(id));
});

test('a removal is taken back by both root users, and by no user without a right', async () => {
  const id = await create('kept');
  await remove(id);
  await refusedToNobody(instance, TYPE, { velocityControlId: id });
  refused(await keep(NOBODY), [404, 'UNSPECIFIED', /velocity control not found/]);
  const [first, second] = pair.clients;
  const both = async (type: string, parameters: object, key: string) => {
    const body = first.bodyOf(type, parameters);
    const path = `/public/v1/submit/${type.toLowerCase()}`;
    await first.send(path, body);
    return resultOf(await second.send(path, body), key);
  };
  const made = await both('CREATE_VELOCITY_CONTROL', delayed('of_two'), 'createVelocityControlResult');
  const { velocityControlId } = made;
  await both('DELETE_VELOCITY_CONTROL', { velocityControlId }, 'deleteVelocityControlResult');
  await waitsForBoth(pair, TYPE, { velocityControlId }, KEY);
});
