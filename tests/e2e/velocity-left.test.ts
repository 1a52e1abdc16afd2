/** What random transactions took from an account is at most what was counted, and equal where everything was plain. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getTransactionDecoder } from '@solana/kit';
import { ComputeBudgetProgram, Keypair, PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { LiteSVM } from 'litesvm';
import { encodeFunctionData, erc20Abi, type Hex, serializeTransaction, type TransactionSerializable } from 'viem';
import { CHAIN, dataOf, FRIEND, newAccount, sendingWorld } from '../activities/sending/eth-support.ts';
import { aggregation, velocityControl } from '../activities/velocity-controls/support.ts';
import { solanaAccount, transaction } from '../chain-io/sends/solana/support.ts';
import { abiOf } from '../contracts/support.ts';
import { resultOf } from '../support/client.ts';
import { rounds } from '../support/full.ts';
import { sharedInstance } from '../support/instance.ts';
import fc from '../support/properties.ts';
import { waitFor } from '../support/wait.ts';

const world = await sendingWorld();
after(() => world.stop());
const { engine, root } = await sharedInstance(world.env);
const token = await world.deploy('HeldToken', [10n ** 30n]);

/** It counts what can be read, in the smallest unit, and stops nothing. */
async function newControl(identifier: string, caip19: string): Promise<string> {
  const parameters = velocityControl({
    identifier,
    dataSource: { chainAssetTransfer: { definition: [{ caip19, decimals: '0' }] } },
    aggregation: aggregation({ window: { infinite: {} }, groupBy: { wallet: {} } }),
    countersign: { fees: true, groupBy: 'signer', unreadable: 'COUNT_ONLY_READABLE' },
  });
  return resultOf(await root.submit('CREATE_VELOCITY_CONTROL', parameters), 'createVelocityControlResult').velocityControlId;
}
const ofCoin = await newControl('coin', `${CHAIN}/slip44:60`);
const ofToken = await newControl('token', `${CHAIN}/erc20:${token}`);
const ofSol = await newControl('sol', 'solana:devnet/slip44:501');

/** All that was counted in a control's buckets that were empty before. */
async function counter(velocityControlId: string): Promise<() => Promise<bigint>> {
  const total = async () => {
    const page = { velocityControlId, paginationOptions: { limit: '100' } };
    const { velocityBuckets } = (await root.query('list_velocity_buckets', page)).body;
    return (velocityBuckets as { counted: string }[]).reduce((sum, { counted }) => sum + BigInt(counted), 0n);
  };
  const before = await total();
  return async () => (await total()) - before;
}

const sign = async (signWith: string, unsignedTransaction: string, chain: string): Promise<string> => {
  const parameters = { signWith, unsignedTransaction, type: `TRANSACTION_TYPE_${chain}` };
  return resultOf(await root.submit('SIGN_TRANSACTION_V2', parameters), 'signTransactionResult').signedTransaction;
};

/** The price of gas is paid in full: it is all tip, above any base fee here. */
const PRICE = 5_000_000_000n;
const abi = abiOf('HeldToken');
type Fields = { to?: Hex | undefined; value?: bigint; data?: Hex; gas: bigint };

async function account() {
  const address = await newAccount(world, root, 10n ** 20n);
  const balance = () => world.node.getBalance({ address });
  const held = () =>
    world.node.readContract({ address: token, abi, functionName: 'balanceOf', args: [address] }) as Promise<bigint>;
  let nonce = 0;
  const send = async (fields: Fields) => {
    const prices = { maxFeePerGas: PRICE, maxPriorityFeePerGas: PRICE };
    const all = { type: 'eip1559', chainId: 31337, nonce: nonce++, ...prices, ...fields } as TransactionSerializable;
    const signed = (await sign(address, serializeTransaction(all), 'ETHEREUM')).replace(/^(?:0x)?/, '0x') as Hex;
    const hash = await world.node.sendRawTransaction({ serializedTransaction: signed });
    return world.node.waitForTransactionReceipt({ hash, timeout: 20_000 });
  };
  return { address, balance, held, send };
}

test('EVM: of plain transfers, exactly what was counted left, with the fees', async () => {
  const { balance, send } = await account();
  const counted = await counter(ofCoin);
  const before = await balance();
  for (const value of fc.sample(fc.bigInt({ min: 1n, max: 10n ** 18n }), rounds(20)))
    assert.equal((await send({ to: FRIEND, value, gas: 21_000n })).status, 'success');
  assert.equal(before - (await balance()), await counted());
});

test('EVM: of any transactions, at most what was counted left', async () => {
  const { address, balance, held, send } = await account();
  await world.must({ to: token, data: dataOf('HeldToken', 'transfer', [address, 10n ** 18n]) });
  const [coins, tokens] = [await counter(ofCoin), await counter(ofToken)];
  const [before, heldBefore] = [await balance(), await held()];
  const value = fc.bigInt({ min: 0n, max: 10n ** 18n });
  const amount = fc.bigInt({ min: 0n, max: 10n ** 17n });
  const onToken = (name: string, ...args: unknown[]) => ({
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: name as 'transfer', args: args as never }),
  });
  const any: fc.Arbitrary<Omit<Fields, 'gas'>> = fc.oneof(
    value.map((each) => ({ to: FRIEND, value: each })),
    value.map((each) => ({ to: address, value: each })),
    value.map((each) => ({ value: each, data: '0x' as Hex })),
    amount.map((each) => onToken('transfer', FRIEND, each)),
    amount.map((each) => onToken('approve', FRIEND, each)),
    // These fail in their block, and cost their fee.
    amount.map((each) => onToken('transferFrom', address, FRIEND, each)),
    amount.map((each) => onToken('transfer', FRIEND, each + 10n ** 30n)),
    value.map((each) => ({ ...onToken('transfer', FRIEND, 1n), value: each })),
  );
  for (const fields of fc.sample(any, rounds(40))) await send({ gas: 200_000n, ...fields });
  const [left, leftOfToken] = [before - (await balance()), heldBefore - (await held())];
  assert.ok(left > 0n && left <= (await coins()), `${left} left`);
  assert.ok(leftOfToken <= (await tokens()), `${leftOfToken} tokens left`);
});

test('EVM: a send counts at least what left, also without given fees', async () => {
  const { address, balance } = await account();
  const counted = await counter(ofCoin);
  const before = await balance();
  for (const value of fc.sample(fc.bigInt({ min: 1n, max: 10n ** 17n }), rounds(10))) {
    const parameters = { from: address, caip2: CHAIN, calls: [{ to: FRIEND, value: String(value) }] };
    const answer = await root.submit('ETH_SEND_TRANSACTION_V2', parameters);
    const { sendTransactionStatusId } = resultOf(answer, 'ethSendTransactionResultV2');
    await waitFor('it is mined', async () => {
      const { body } = await root.query('get_send_transaction_status', { sendTransactionStatusId });
      return body.txStatus === 'INCLUDED';
    });
  }
  const left = before - (await balance());
  const { feeLimitPercent } = engine.sponsorship;
  assert.ok(left <= (await counted()) && feeLimitPercent === 300, `${left} left`);
});

test('Solana: of plain transfers exactly what was counted left, of others at most', async () => {
  const svm = new LiteSVM();
  const made = await root.submit('CREATE_WALLET', { walletName: 'Sol', accounts: [solanaAccount(0)] });
  const [address] = resultOf(made, 'createWalletResult').addresses;
  const payer = new PublicKey(address);
  svm.airdrop(address, (10n ** 12n) as never);
  const balance = () => svm.getBalance(address) ?? 0n;
  const send = async (...instructions: TransactionInstruction[]) => {
    const unsigned = transaction({ payer, blockhash: svm.latestBlockhash() }, ...instructions);
    const signed = Buffer.from(await sign(address, unsigned, 'SOLANA'), 'hex');
    svm.sendTransaction(getTransactionDecoder().decode(signed));
    svm.expireBlockhash();
  };
  const pay = (lamports: bigint) =>
    SystemProgram.transfer({ fromPubkey: payer, toPubkey: Keypair.generate().publicKey, lamports });
  const lamports = fc.bigInt({ min: 10n ** 7n, max: 10n ** 9n });
  let [counted, before] = [await counter(ofSol), balance()];
  for (const amounts of fc.sample(fc.array(lamports, { minLength: 1, maxLength: 3 }), rounds(20)))
    await send(...amounts.map(pay));
  assert.ok(balance() < before);
  assert.equal(before - balance(), await counted());
  [counted, before] = [await counter(ofSol), balance()];
  const others: fc.Arbitrary<TransactionInstruction[]> = fc.oneof(
    fc
      .tuple(fc.nat({ max: 2_000_000 }), lamports)
      .map(([microLamports, each]) => [
        ComputeBudgetProgram.setComputeUnitLimit({ units: 50_000 }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports }),
        pay(each),
      ]),
    // It fails, and costs its fee: it asks for more than the payer has.
    lamports.map((each) => [pay(each), pay(10n ** 15n)]),
    lamports.map((each) => [SystemProgram.transfer({ fromPubkey: payer, toPubkey: payer, lamports: each })]),
  );
  for (const instructions of fc.sample(others, rounds(20))) await send(...instructions);
  const left = before - balance();
  assert.ok(left > 0n && left <= (await counted()), `${left} left`);
});
