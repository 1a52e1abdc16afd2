import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { samples } from '../../support/all-samples.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { BASE_PATH, newHosted } from './support.ts';

const { instance, pair } = await sharedPair({ LIMIT_TVC_OPERATORS: '12' });
const { root } = instance;

const TYPE = 'CREATE_TVC_OPERATOR';
const KEY = 'createTvcOperatorResult';
const sample = samples('CREATE_TVC_OPERATOR') as object;

test('an operator’s keys are two accounts of a new wallet, or of an existing one', async () => {
  const made = await newHosted(root, { operatorName: 'first' });
  const { accounts } = (await root.query('list_wallet_accounts', { walletId: made.walletId })).body;
  const seen = accounts.map(({ path, curve, address }: Record<string, string>) => [path, curve, address]);
  assert.deepEqual(seen.sort(), [
    [`${BASE_PATH}/0`, 'CURVE_P256', made.encryptPublicKey],
    [`${BASE_PATH}/1`, 'CURVE_P256', made.signPublicKey],
  ]);
  const path = "m/5527107'/0'/1'";
  const second = resultOf(await root.submit(TYPE, { walletId: made.walletId, path, operatorName: 'second' }), KEY);
  assert.equal(second.walletId, made.walletId);
  const { tvcOperators } = (await root.query('list_tvc_operators')).body;
  const shown = tvcOperators.map(({ id, name, encryptPublicKey, keySource }: Record<string, string>) => [
    id,
    name,
    encryptPublicKey,
    keySource,
  ]);
  assert.deepEqual(shown, [
    [made.operatorId, 'first', made.encryptPublicKey, 'WALLET'],
    [second.operatorId, 'second', second.encryptPublicKey, 'WALLET'],
  ]);
  refused(
    await root.submit(TYPE, { walletId: made.walletId, path, operatorName: 'third' }),
    [400, 'REQUEST_INVALID', /has an account below this path already/],
    'parameters.path',
  );
});

test('a wallet that is not there is not found, and neither is one of another organization', async () => {
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  const theirs = await newHosted(sub);
  for (const walletId of [NOBODY, theirs.walletId])
    refused(await root.submit(TYPE, { walletId, path: BASE_PATH, operatorName: 'x' }), [404, 'UNSPECIFIED', /wallet not found/]);
});

test('a policy sees the name, the wallet and the path', async () => {
  const { client, userId } = await instance.newUser('Creator');
  const condition = `activity.kind == '${TYPE}' && activity.params.operator_name == 'allowed' && activity.params.path == "${BASE_PATH}"`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  denied(await client.submit(TYPE, { ...sample, walletName: 'a', operatorName: 'other' }));
  resultOf(await client.submit(TYPE, { ...sample, walletName: 'a', operatorName: 'allowed' }), KEY);
});

test('waits for the second root user', async () => {
  const made = await waitsForBoth(pair, TYPE, sample, KEY);
  assert.ok((made as { operatorId: string }).operatorId);
});

test('a user without permission is refused', () => refusedToNobody(instance, TYPE, sample));

test('bad parameters are named, and a full organization is refused', async () => {
  await refusesEach(root, TYPE, [
    [{ path: BASE_PATH, operatorName: 'x' }, 'parameters.walletId', /must be given if walletName is not/],
    [{ ...sample, walletId: NOBODY }, 'parameters.walletId', /must be given if walletName is not/],
    [{ ...sample, walletName: 'bad', path: 'm/x' }, 'parameters.path', /invalid path/],
  ]);
  for (let answer = await root.submit(TYPE, { ...sample, walletName: 'n0' }), n = 1; ; n++) {
    if (answer.status !== 200) {
      refused(answer, [429, 'UNSPECIFIED', /limit of 12 operators of verifiable apps/]);
      break;
    }
    answer = await root.submit(TYPE, { ...sample, walletName: `n${n}` });
  }
});
