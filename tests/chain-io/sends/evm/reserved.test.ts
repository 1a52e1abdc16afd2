/** The most that a sponsored send may cost its payer on a chain with fees besides gas, and costs that no send caused. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { microUsdOf } from '../../../../src/model/gas.ts';
import type { SendAttempt } from '../../../../src/model/send.ts';
import {
  CHAIN,
  FRIEND,
  idOf,
  newAccount,
  SPONSORING,
  sendingWorld,
  sendOf,
  sponsoring,
} from '../../../activities/sending/eth-support.ts';
import { resultOf } from '../../../support/client.ts';
import { sharedInstance } from '../../../support/instance.ts';
import { rpc } from '../../../support/rpc-liar.ts';
import { waitFor } from '../../../support/wait.ts';
import { costs, PRICE } from './costs.ts';

const world = await sendingWorld();
after(() => world.stop());
const instance = await sharedInstance({ ...world.env, ...SPONSORING, SEND_FEE_LIMIT_PERCENT: '500' });
const { root } = instance;
const paymaster = await sponsoring(world, instance);

const DATA_FEE = 10n ** 15n;

/** Answers every question with the fee. */
async function setOracle(): Promise<void> {
  const bytecode = `0x7f${DATA_FEE.toString(16).padStart(64, '0')}60005260206000f3` as const;
  await world.admin.setCode({ address: '0x420000000000000000000000000000000000000f', bytecode });
}

const { attemptsOf, reserved, costOf, metric } = costs(world, instance);
const ask = (method: string, ...params: unknown[]) => rpc(world.anvil.url, method, params);

const untilMined = (id: string) =>
  waitFor('it lands', async () => {
    instance.clock.advance(5_000);
    await ask('evm_mine');
    return ['included', 'final'].includes((await sendOf(instance, root, id)).state);
  });

test('the dearest replacement by the operator’s setting is reserved, and a stamped one that pays more, each with the data fee', async () => {
  await setOracle();
  const from = await newAccount(world, root, 0n);
  await world.admin.setAutomine(false);
  const parameters = { from, caip2: CHAIN, sponsor: true, calls: [{ to: FRIEND, data: '0x' }] };
  const id = idOf(await root.submit('ETH_SEND_TRANSACTION_V2', parameters));
  const { gas, fees } = (await sendOf(instance, root, id)).intent;
  assert.ok('maxFeePerGas' in fees);
  const price = BigInt(fees.maxFeePerGas);
  assert.equal(await reserved(id), microUsdOf(BigInt(gas!) * 5n * price + 2n * DATA_FEE, PRICE));

  await waitFor('it is sent', async () => (await sendOf(instance, root, id)).state === 'sent');
  const wish = { sendTransactionStatusId: id, reason: 'Now', maxFeePerGas: String(6n * price) };
  resultOf(await root.submit('COUNTERSIGN_SPEED_UP_SEND', wish), 'countersignSpeedUpSendResult');
  assert.equal(await reserved(id), microUsdOf(BigInt(gas!) * 6n * price + 2n * DATA_FEE, PRICE));
  await untilMined(id);
});

test('a gap that another program left with the paymaster’s key counts for no organization', async () => {
  const from = await newAccount(world, root, 0n);
  await ask('evm_setAutomine', false);
  await ask('anvil_impersonateAccount', paymaster);
  const fees = { maxFeePerGas: '0x4a817c800', maxPriorityFeePerGas: '0x3b9aca00' };
  await ask('eth_sendTransaction', { from: paymaster, to: paymaster, gas: '0x5208', ...fees });
  const send = idOf(
    await root.submit('ETH_SEND_TRANSACTION_V2', { from, caip2: CHAIN, sponsor: true, calls: [{ to: FRIEND, data: '0x' }] }),
  );
  const [own] = await waitFor('it is out', async () => {
    const attempts = await attemptsOf(send);
    return attempts.length > 0 && (await ask('eth_getTransactionByHash', attempts[0]!.hash)) !== null && attempts;
  });
  await ask('anvil_dropAllTransactions');
  await ask('anvil_stopImpersonatingAccount', paymaster);
  await ask('eth_sendRawTransaction', `0x${own!.signed.toString('hex')}`);
  const before = await metric('countersign_paymaster_noop_coins_total', 'purpose="gap filled"');
  assert.equal(before, 0);
  await untilMined(send);
  const isOwn = ({ purpose }: SendAttempt) => purpose === 'send';
  assert.deepEqual([(await costOf(send))[1], await costOf(send, root, isOwn)], [2, [await reserved(send), 1]]);
  await waitFor(
    'it is counted',
    async () => (await metric('countersign_paymaster_noop_coins_total', 'purpose="gap filled"')) > 0,
  );
  await ask('evm_setAutomine', true);
});
