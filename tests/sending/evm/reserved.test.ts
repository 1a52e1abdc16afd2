/** What a sponsored send may cost whoever pays, on a chain that asks for more than gas. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { microUsdOf } from '../../../src/model/gas.ts';
import {
  CHAIN,
  FRIEND,
  idOf,
  newAccount,
  SPONSORING,
  sendingWorld,
  sendOf,
  sponsoring,
} from '../../activities/sending/eth-support.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { waitFor } from '../../support/wait.ts';

const world = await sendingWorld();
after(() => world.stop());
const instance = await sharedInstance({ ...world.env, ...SPONSORING, SEND_FEE_LIMIT_PERCENT: '500' });
const { root, engine } = instance;
await sponsoring(world, instance);

const PRICE = { usdE18: 3000n * 10n ** 18n, decimals: 18 };
const DATA_FEE = 10n ** 15n;

/** Answers every question with the fee. */
async function setOracle(): Promise<void> {
  const bytecode = `0x7f${DATA_FEE.toString(16).padStart(64, '0')}60005260206000f3` as const;
  await world.admin.setCode({ address: '0x420000000000000000000000000000000000000f', bytecode });
}

const reserved = async (id: string) => (await engine.store.read.gas.reservation(root.organizationId, id))?.microUsd;

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
});
