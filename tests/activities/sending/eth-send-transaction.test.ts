import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { KnownFacts } from '../../../src/engine/request/known-facts.ts';
import { abiOf } from '../../contracts/support.ts';
import { type Client, ethereumAccount, resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { CHAIN, dataOf, FRIEND, idOf, newAccount, sendingWorld, sendOf, userWith } from './eth-support.ts';

const TYPE = 'ETH_SEND_TRANSACTION_V2';
const world = await sendingWorld();
after(() => world.stop());
const { instance, pair } = await sharedPair({ ...world.env, RPC_URL_EIP155_5: world.liar.url });
const { root } = instance;
const from = await newAccount(world, root);
const target = await world.deploy('Target');
const token = await world.deploy('Token');

const add = (amount: bigint, more: object = {}) => ({ to: target, data: dataOf('Target', 'add', [amount]), ...more });
const approve = (amount: bigint) => ({ to: token, data: dataOf('Token', 'approve', [FRIEND, amount]) });
const sending = (calls: readonly object[], more: object = {}) => ({ from, caip2: CHAIN, calls, ...more });
const pay = (value: string, more: object = {}) => sending([{ to: FRIEND, value }], more);
/** All is given. */
const GIVEN = { nonce: '3', gasLimit: '30000', maxFeePerGas: '5000000000', maxPriorityFeePerGas: '7' };

async function accepted(client: Client, parameters: object, type = TYPE, key = 'ethSendTransactionResultV2') {
  return sendOf(instance, client, idOf(await client.submit(type, parameters), key));
}

async function denied(client: Client, parameters: object): Promise<void> {
  refused(await client.submit(TYPE, parameters), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
}

test('what was not given is filled in, in both versions', async () => {
  const send = await accepted(root, pay('7'));
  const account = from.toLowerCase();
  assert.deepEqual(
    [send.caip2, send.account, send.fromAddress, send.sponsored, send.payerId],
    [CHAIN, account, account, false, root.organizationId],
  );
  const { fees, ...intent } = send.intent;
  const call = { to: FRIEND, value: '7', data: '0x' };
  const nothing = { nonce: null, gasStationNonce: null, deadline: null };
  assert.deepEqual(intent, { form: 'call', signWith: from, calls: [call], gas: '21000', feesGiven: false, ...nothing });
  const block = await world.node.getBlock();
  assert.ok('maxFeePerGas' in fees && BigInt(fees.maxFeePerGas) > block.baseFeePerGas!);

  const old = await accepted(root, { from, caip2: CHAIN, ...add(3n) }, 'ETH_SEND_TRANSACTION', 'ethSendTransactionResult');
  assert.deepEqual(old.intent.calls, [{ to: target, value: '0', data: dataOf('Target', 'add', [3n]) }]);
  assert.ok(BigInt(old.intent.gas!) > 21_000n);
});

test('if all is given, no node is asked; of fees, what is missing is filled in', async () => {
  const before = world.liar.asked.length;
  const { intent } = await accepted(root, pay('1', GIVEN));
  const asked = world.liar.asked.slice(before).filter((method) => /estimateGas|feeHistory|gasPrice|PriorityFee/.test(method));
  assert.deepEqual(asked, []);
  assert.deepEqual([intent.gas, intent.nonce, intent.feesGiven], ['30000', '3', true]);
  assert.deepEqual(intent.fees, { maxFeePerGas: '5000000000', maxPriorityFeePerGas: '7' });
  const most = await accepted(root, pay('1', { maxFeePerGas: '3' }));
  assert.deepEqual([most.intent.fees, most.intent.feesGiven], [{ maxFeePerGas: '3', maxPriorityFeePerGas: '3' }, true]);
  const tip = (await accepted(root, pay('1', { maxPriorityFeePerGas: '5' }))).intent.fees;
  assert.ok('maxFeePerGas' in tip && tip.maxPriorityFeePerGas === '5' && BigInt(tip.maxFeePerGas) > 5n);
});

test('prices are asked for once in a second, for all', async () => {
  instance.clock.advance(1000);
  const before = world.liar.asked.length;
  await Promise.all(Array.from({ length: 10 }, (_, i) => accepted(root, pay(String(100 + i)))));
  const asked = world.liar.asked.slice(before).filter((method) => method === 'eth_feeHistory');
  assert.ok(asked.length <= 2, `${asked.length} times`);
});

test('a call that would revert is accepted without gas, and with the gas that was given', async () => {
  const failing = { to: target, data: dataOf('Target', 'failWithString', []) };
  const { intent } = await accepted(root, sending([failing]));
  assert.equal(intent.gas, null);
  assert.match(intent.refused!.data!, /^0x08c379a0/);
  const given = await accepted(root, sending([failing], { gasLimit: '90000' }));
  assert.deepEqual([given.intent.gas, given.intent.refused], ['90000', undefined]);
});

test('policies see the transaction that will be signed', async () => {
  const client = await userWith(
    instance,
    `activity.kind == 'ETH_SEND_TRANSACTION' && eth.tx.from == '${from}' && eth.tx.to == '${FRIEND}' && eth.tx.value <= 100 && eth.tx.chain_id == 31337 && eth.tx.type == 'TYPE_2' && eth.tx.data == '0x'`,
  );
  await accepted(client, pay('100'));
  await denied(client, pay('101'));
  await denied(client, sending([add(1n)]));
  await denied(client, sending([{ to: FRIEND, value: '1', data: '0x00' }]));
  await denied(client, pay('1', { caip2: 'eip155:6' }));
});

test('filled gas and fees are judged; a nonce only if it was given', async () => {
  const cheap = await userWith(instance, `eth.tx.gas == 21000 && eth.tx.max_fee_per_gas < 100000000000 && eth.tx.gas_price > 0`);
  await accepted(cheap, pay('1'));
  await denied(cheap, sending([add(1n)]));
  await denied(cheap, pay('1', { maxFeePerGas: '100000000000' }));
  const early = await userWith(instance, 'eth.tx.nonce <= 3');
  await denied(early, pay('1'));
  await accepted(early, pay('1', { nonce: '3' }));
  await denied(early, pay('1', { nonce: '4' }));
});

test('it is decided by facts in memory, and anew where another process changed them', async (t) => {
  const condition = `eth.tx.to == '${FRIEND}' && eth.tx.gas == 30111`;
  const client = await userWith(instance, condition);
  const [mine] = (await root.query('list_policies')).body.policies.filter(
    (policy: { condition: string }) => policy.condition === condition,
  );
  const recall = t.mock.method(KnownFacts.prototype, 'recall');
  const once = (value: string) => pay(value, { ...GIVEN, nonce: undefined, gasLimit: '30111' });
  await accepted(client, once('11'));
  await accepted(client, once('12'));
  assert.ok(recall.mock.calls.at(-1)?.result, 'the second is decided by what was kept of the first');
  // As elsewhere: what is kept here stays.
  t.mock.method(KnownFacts.prototype, 'forget', () => {});
  resultOf(await root.submit('DELETE_POLICY', { policyId: mine.policyId }), 'deletePolicyResult');
  await denied(client, once('13'));
});

test('calls are decoded with an uploaded interface', async () => {
  const smartContractInterface = JSON.stringify(abiOf('Token'));
  const uploaded = { label: 'Token', smartContractAddress: token, smartContractInterface, notes: '' };
  const type = 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM';
  resultOf(await root.submit('CREATE_SMART_CONTRACT_INTERFACE', { ...uploaded, type }), 'createSmartContractInterfaceResult');
  const client = await userWith(
    instance,
    `eth.tx.function_name == 'approve' && eth.tx.contract_call_args['amount'] <= 10 && eth.tx.contract_call_args['spender'] == '${FRIEND}'`,
  );
  await accepted(client, sending([approve(10n)]));
  await denied(client, sending([approve(11n)]));
  await denied(client, sending([add(1n)]));
});

test('a user without permission sends nothing; if several must agree, they agree on the signed transaction', async () => {
  await refusedToNobody(instance, TYPE, pay('1'));
  const [first] = pair.clients;
  const wallet = { walletName: 'Pair', accounts: [ethereumAccount()] };
  const [mine] = (await waitsForBoth(pair, 'CREATE_WALLET', wallet, 'createWalletResult')).addresses;
  await world.admin.setBalance({ address: mine, value: 10n ** 18n });
  const result = await waitsForBoth(pair, TYPE, pay('1', { from: mine }), 'ethSendTransactionResultV2');
  const send = await sendOf(instance, first, result.sendTransactionStatusId);
  assert.deepEqual([send.fromAddress, send.payerId], [mine.toLowerCase(), root.organizationId]);
});

const WRONG_CHECKSUM = '0x00000000000000000000000000000000000000aA';

test('each parameter that is wrong is refused by its name', async () => {
  const one = { to: FRIEND, value: '1' };
  const call = 'parameters.calls[0]';
  const number = /must be a whole number from \d+ to 2\^\d+ - 1/;
  await refusesEach(root, TYPE, [
    [pay('1', { from: NOBODY }), 'parameters.from', /by one of its addresses, not by its id/],
    [pay('1', { from: WRONG_CHECKSUM }), 'parameters.from', /checksum is wrong/],
    [pay('1', { caip2: 'solana:mainnet' }), 'parameters.caip2', /such as eip155:1: this service cannot serve solana:mainnet$/],
    [pay('1', { caip2: 'no chain' }), 'parameters.caip2', /such as eip155:1$/],
    [pay('1', { caip2: 'eip155:77' }), 'parameters.caip2', /eip155:77 is not served here: .* RPC_URL_EIP155_77/],
    [sending(Array.from({ length: 21 }, () => one)), 'parameters.calls', /at most 20 calls: the delegate/],
    [sending(Array.from({ length: 51 }, () => one)), 'parameters.calls', /50/],
    [sending([{ value: '1' }]), `${call}.to`, /./],
    [sending([{ to: '' }]), `${call}.to`, /sign_transaction/],
    [sending([{ to: '0x1234' }]), `${call}.to`, /40 hex digits/],
    [sending([{ to: WRONG_CHECKSUM }]), `${call}.to`, /checksum is wrong/],
    [sending([{ ...one, value: '-1' }]), `${call}.value`, number],
    [sending([{ ...one, value: '0x1' }]), `${call}.value`, number],
    [sending([{ ...one, value: '1.5' }]), `${call}.value`, number],
    [sending([{ ...one, value: String(2n ** 256n) }]), `${call}.value`, /2\^256 - 1/],
    [sending([{ ...one, data: '0x123' }]), `${call}.data`, /two for each byte/],
    [pay('1', { nonce: String(2n ** 53n) }), 'parameters.nonce', /2\^53 - 1/],
    [pay('1', { gasLimit: '20999' }), 'parameters.gasLimit', /from 21000/],
    [pay('1', { maxFeePerGas: '1e9' }), 'parameters.maxFeePerGas', number],
    [
      pay('1', { maxFeePerGas: '1', maxPriorityFeePerGas: '2' }),
      'parameters.maxPriorityFeePerGas',
      /not be greater than maxFeePerGas/,
    ],
    [pay('1', { deadline: String(2n ** 32n) }), 'parameters.deadline', /2\^32 - 1/],
    [pay('1', { deadline: '1700000000' }), 'parameters.deadline', /must be later than now/],
    [pay('1', { gasStationNonce: 'x' }), 'parameters.gasStationNonce', number],
  ]);
  await refusesEach(root, 'ETH_SEND_TRANSACTION', [
    [{ from, caip2: CHAIN, to: 'friend' }, 'parameters.to', /40 hex digits/],
    [{ from, caip2: CHAIN, to: FRIEND, data: 'xyz' }, 'parameters.data', /hex/],
    [{ from, caip2: CHAIN, to: FRIEND, value: '' }, 'parameters.value', number],
  ]);
});

test('the account is one of the organization, with a key that may sign, at an Ethereum address', async () => {
  refused(await root.submit(TYPE, pay('1', { from: FRIEND })), [404, 'UNSPECIFIED', /signer not found: 0x/]);
  const others = await instance.newSubOrganization('Other', 1, 1);
  const theirs = await newAccount(world, others.clients[0]!);
  refused(await root.submit(TYPE, pay('1', { from: theirs })), [404, 'UNSPECIFIED', /signer not found/]);
  const key = {
    privateKeyName: 'Key',
    curve: 'CURVE_SECP256K1',
    privateKeyTags: [],
    addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
  };
  const made = resultOf(await root.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys: [key] }), 'createPrivateKeysResultV2');
  const [{ privateKeyId, addresses }] = made.privateKeys;
  const { address } = addresses[0];
  await world.admin.setBalance({ address, value: 10n });
  assert.equal((await accepted(root, pay('1', { from: address.toLowerCase() }))).intent.signWith, address);
  resultOf(await root.submit('DISABLE_PRIVATE_KEY', { privateKeyId }), 'disablePrivateKeyResult');
  refused(
    await root.submit(TYPE, pay('1', { from: address })),
    [400, 'REQUEST_INVALID', /private key is disabled/],
    'parameters.from',
  );
});

test('without a price, nothing is sponsored and nothing is reserved', async () => {
  const config = { orgWindowLimitUsd: '1000', subOrgWindowLimitUsd: '100', windowDurationMinutes: '60', enabled: true };
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', config), 'upsertGasUsageConfigResult');
  const answer = await root.submit(TYPE, pay('1', { sponsor: true }));
  refused(answer, [400, 'UNSPECIFIED', /the price of its coin is unknown\. The operator sets GAS_PRICES_USD or GAS_PRICES_URL/]);
  assert.equal((await root.query('get_gas_usage')).body.usageUsd, '0.00');
});

test('a network whose endpoint is of another one is refused until its operator mends it, and leaves nothing: the same body goes through later', async () => {
  const body = root.bodyOf(TYPE, pay('1', { caip2: 'eip155:5' }));
  const path = '/public/v1/submit/eth_send_transaction';
  const mend =
    /every RPC endpoint of eip155:5 belongs to another network: the operator .* must correct .* send the same body again/;
  refused(await root.send(path, body), [503, 'UNAVAILABLE', mend]);
  const fingerprints = await root.query('list_activities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'] });
  assert.ok(!fingerprints.text.includes('eip155:5"'), 'it is no failed activity');
  world.liar.lie({ kind: 'chain', chainId: 5n });
  instance.clock.advance(600_000);
  const done = await root.send(path, body);
  world.liar.truth();
  assert.equal((await sendOf(instance, root, idOf(done))).caip2, 'eip155:5');
});

test('a simulation says what is decided without a node, and asks none', async () => {
  const before = world.liar.asked.length;
  const client = await userWith(instance, `eth.tx.to == '${FRIEND}' && eth.tx.value <= 5`);
  const ask = async (parameters: object) =>
    (await client.query('simulate_activity', { type: `ACTIVITY_TYPE_${TYPE}`, parameters })).body.outcome;
  assert.equal(await ask(pay('5')), 'OUTCOME_ALLOW');
  assert.notEqual(await ask(pay('6')), 'OUTCOME_ALLOW');
  assert.deepEqual(
    world.liar.asked.slice(before).filter((method) => method === 'eth_estimateGas'),
    [],
  );
});
