import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ethereumAccount } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { CHAIN, idOf, newAccount, sendingWorld, sendOf, userWith } from './eth-support.ts';

const TYPE = 'ETH_UNDELEGATE_7702';
const KEY = 'ethUndelegate7702Result';
const world = await sendingWorld();
after(() => world.stop());
const { instance, pair } = await sharedPair(world.env);
const { root } = instance;
const from = await newAccount(world, root);
const undelegate = (more: object = {}) => ({ from, caip2: CHAIN, ...more });

test('is accepted under both names of its type, with gas and fees filled in', async () => {
  const send = await sendOf(instance, root, idOf(await root.submit(TYPE, undelegate()), KEY));
  assert.deepEqual(
    [send.intent.form, send.intent.calls, send.account, send.sponsored],
    ['undelegate', [], from.toLowerCase(), false],
  );
  assert.ok(BigInt(send.intent.gas!) >= 46_000n);
  const body = root.bodyOf('ETH_UNDELEGATE7702', undelegate({ nonce: '7', gasLimit: '60000' }));
  const answer = await root.send('/public/v1/submit/eth_undelegate_7702', body);
  assert.equal(answer.body.activity?.type, 'ACTIVITY_TYPE_ETH_UNDELEGATE_7702', answer.text);
  const other = await sendOf(instance, root, idOf(answer, KEY));
  assert.deepEqual([other.intent.gas, other.intent.nonce], ['60000', '7']);
  const again = await root.send('/public/v1/submit/eth_undelegate_7702', body);
  assert.equal(again.body.activity.id, answer.body.activity.id, 'the same body is the same activity');
});

test('policies see a transaction of type 4, from the account to itself, that authorizes nobody', async () => {
  const condition = (more: string) =>
    `eth.tx.type == 'TYPE_4' && eth.tx.to == '${from}' && eth.tx.value == 0 && eth.tx.authorization_list.all(a, a.address == '0x0000000000000000000000000000000000000000' && a.chain_id == 31337${more})`;
  const client = await userWith(instance, condition(''));
  idOf(await client.submit(TYPE, undelegate()), KEY);
  const numbered = await userWith(instance, condition(' && a.nonce == 8'));
  idOf(await numbered.submit(TYPE, undelegate({ nonce: '7' })), KEY);
  for (const parameters of [undelegate(), undelegate({ nonce: '8' })])
    refused(await numbered.submit(TYPE, parameters), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
  await refusedToNobody(instance, TYPE, undelegate());
});

test('where several must agree, it waits', async () => {
  const wallet = { walletName: 'Pair', accounts: [ethereumAccount()] };
  const [mine] = (await waitsForBoth(pair, 'CREATE_WALLET', wallet, 'createWalletResult')).addresses;
  const result = await waitsForBoth(pair, TYPE, undelegate({ from: mine }), KEY);
  assert.equal((await sendOf(instance, pair.clients[0], result.sendTransactionStatusId)).intent.form, 'undelegate');
});

test('each parameter that is wrong is refused by its name', async () => {
  await refusesEach(root, TYPE, [
    [undelegate({ from: NOBODY }), 'parameters.from', /not by its id/],
    [undelegate({ caip2: 'eip155:77' }), 'parameters.caip2', /RPC_URL_EIP155_77/],
    [undelegate({ gasLimit: '1' }), 'parameters.gasLimit', /from 21000/],
    [undelegate({ maxFeePerGas: '1', maxPriorityFeePerGas: '2' }), 'parameters.maxPriorityFeePerGas', /not be greater/],
  ]);
  const nobodys = undelegate({ from: `0x${'7'.repeat(40)}` });
  refused(await root.submit(TYPE, nobodys), [404, 'UNSPECIFIED', /signer not found/]);
});
