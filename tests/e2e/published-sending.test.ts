/** Published clients send on a real EVM node, and read what became of it as they do. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { TurnkeyClient } from '@turnkey/http';
import { Turnkey, type TurnkeyApiClient } from '@turnkey/sdk-server';
import { createAccount } from '@turnkey/viem';
import { encodeFunctionData, type Hex, keccak256, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { abiOf, startWorld } from '../contracts/support.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

const world = await startWorld();
after(() => world.stop());
const instance = await sharedInstance({ RPC_URL_EIP155_31337: world.anvil.url, GAS_PRICES_USD: 'eip155:31337=3000' });
const { root, credentials, url } = instance;

/** The clients' types have the chains that their service knows. */
const caip2 = 'eip155:31337' as 'eip155:1';
const abi = abiOf('Target');
const FRIEND: Hex = '0x00000000000000000000000000000000000000aa';
const calling = (functionName: string, args: readonly unknown[] = []): Hex => encodeFunctionData({ abi, functionName, args });

const server = (): TurnkeyApiClient =>
  new Turnkey({
    apiBaseUrl: url,
    apiPublicKey: credentials.apiPublicKey,
    apiPrivateKey: credentials.apiPrivateKey,
    defaultOrganizationId: credentials.organizationId,
  }).apiClient();

const client = server();
let from: Hex;
let target: Hex;

async function newAccount(value: bigint): Promise<Hex> {
  const wallet = await root.submit('CREATE_WALLET', { walletName: `Wallet ${Math.random()}`, accounts: [ethereumAccount()] });
  const [address] = resultOf(wallet, 'createWalletResult').addresses;
  await world.admin.setBalance({ address, value });
  return address;
}

before(async () => {
  from = await newAccount(parseEther('10'));
  target = await world.deploy('Target');
  const uploaded = {
    smartContractAddress: target,
    smartContractInterface: JSON.stringify(abi),
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'Target',
  };
  resultOf(await root.submit('CREATE_SMART_CONTRACT_INTERFACE', uploaded), 'createSmartContractInterfaceResult');
});

type Call = { to: Hex; value?: string; data?: Hex };
type More = { gasLimit?: string; from?: Hex; sponsor?: boolean };

async function begun(calls: readonly Call[], more: More = {}): Promise<string> {
  return (await client.ethSendTransaction({ from, caip2, calls: [...calls], ...more })).sendTransactionStatusId;
}

const polled = (sendTransactionStatusId: string) =>
  client.pollTransactionStatus({ sendTransactionStatusId, pollingIntervalMs: 50 });

/** Sends, and polls until it is in a block. Throws what the client throws for one that failed. */
const sent = async (call: Call, more?: More) => polled(await begun([call], more));

/** A send that failed, as the client reads it: polling throws with the reason. */
async function failedAll(calls: readonly Call[], more?: More) {
  const sendTransactionStatusId = await begun(calls, more);
  const status = await polled(sendTransactionStatusId).then(
    () => assert.fail('it did not fail'),
    () => client.getSendTransactionStatus({ sendTransactionStatusId }),
  );
  await assert.rejects(polled(sendTransactionStatusId), { message: status.error?.message });
  return status;
}

const failed = (call: Call, more?: More) => failedAll([call], more);

const receiptOf = (hash: string | undefined) => world.node.getTransactionReceipt({ hash: hash as Hex });

test('value', async () => {
  const before = await world.node.getBalance({ address: FRIEND });
  const { txStatus, eth, error, txError } = await sent({ to: FRIEND, value: parseEther('1').toString() });
  assert.deepEqual([txStatus, error, txError], ['INCLUDED', undefined, undefined]);
  assert.equal((await receiptOf(eth?.txHash)).from, from.toLowerCase());
  assert.equal((await world.node.getBalance({ address: FRIEND })) - before, parseEther('1'));
});

test('a call of a contract', async () => {
  const { eth } = await sent({ to: target, data: calling('add', [5n]), value: '7' });
  assert.equal((await receiptOf(eth?.txHash)).status, 'success');
  assert.equal(await world.view('Target', target, 'total'), 5n);
  assert.equal(await world.view('Target', target, 'lastValue'), 7n);
});

const REVERTS: [name: string, data: Hex, message: RegExp, entry: object][] = [
  ['a text', calling('failWithString'), /no luck/, { native: { nativeType: 'error_string', message: 'no luck' } }],
  [
    'a panic',
    calling('failWithPanic', [0n]),
    /division or modulo by zero/,
    { native: { nativeType: 'panic', message: 'division or modulo by zero (0x12)', panicCode: '18' } },
  ],
  [
    'nothing',
    calling('failBare'),
    /execution reverted/,
    { native: { nativeType: 'execution_reverted', message: 'execution reverted' } },
  ],
  [
    'bytes of nobody',
    calling('failWith', ['0xdeadbeef']),
    /0xdeadbeef/,
    { unknown: { selector: '0xdeadbeef', data: '0xdeadbeef' } },
  ],
];

for (const [name, data, message, entry] of REVERTS)
  test(`a call that reverts with ${name}: nothing is sent, and the reason is told`, async () => {
    const { txStatus, eth, txError, error } = await failed({ to: target, data });
    assert.deepEqual([txStatus, eth], ['FAILED', undefined]);
    assert.match(txError!, message);
    const [told] = error!.eth!.revertChain!;
    assert.equal(told!.address?.toLowerCase(), target.toLowerCase());
    assert.deepEqual({ ...told, ...entry }, told);
  });

test('a call that reverts with an error of an uploaded interface is decoded; with a gas limit it is in a block', async () => {
  const data = calling('failWithCustom');
  const custom = { errorName: 'Custom', paramsJson: JSON.stringify({ number: '7', who: from.toLowerCase() }) };
  const { error } = await failed({ to: target, data });
  assert.deepEqual(
    error!.eth!.revertChain!.map((entry) => entry.custom),
    [custom],
  );
  const { txStatus, eth, error: mined } = await sent({ to: target, data }, { gasLimit: '100000' });
  assert.equal(txStatus, 'INCLUDED');
  assert.equal((await receiptOf(eth?.txHash)).status, 'reverted');
  assert.deepEqual(
    mined!.eth!.revertChain!.map((entry) => entry.custom),
    [custom],
  );
});

test('without funds nothing is sent, and the reason is told', async () => {
  const poor = await newAccount(0n);
  const { error } = await failed({ to: FRIEND, value: '1' }, { from: poor });
  assert.match(error!.message!, /insufficient funds/i);
});

test('several calls in one transaction, of an account that pays itself', async () => {
  const before = (await world.view('Target', target, 'total')) as unknown as bigint;
  const calls = [3n, 4n].map((amount) => ({ to: target, data: calling('add', [amount]), value: '1' }));
  const { txStatus, eth, error } = await polled(await begun(calls));
  assert.deepEqual([txStatus, error], ['INCLUDED', undefined]);
  const receipt = await receiptOf(eth?.txHash);
  assert.deepEqual([receipt.from, receipt.status], [from.toLowerCase(), 'success']);
  assert.equal(await world.view('Target', target, 'total'), before + 7n);
  assert.equal(((await world.view('Target', target, 'lastSender')) as string).toLowerCase(), from.toLowerCase());
  const { error: told } = await failedAll([calls[0]!, { to: target, data: calling('failWithString') }]);
  assert.equal(told!.eth!.revertChain!.at(-1)!.displayMessage, 'no luck');
});

test('an account without funds, sponsored: one call, and several', async () => {
  const paymaster = instance.engine.vault.paymaster.address('eip155') as Hex;
  const limits = { orgWindowLimitUsd: '1000', subOrgWindowLimitUsd: '100', windowDurationMinutes: '60', enabled: true };
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', limits), 'upsertGasUsageConfigResult');
  await world.admin.setBalance({ address: paymaster, value: parseEther('10') });
  const poor = await newAccount(0n);
  const before = (await world.view('Target', target, 'total')) as unknown as bigint;
  const add = (amount: bigint) => ({ to: target, data: calling('add', [amount]) });
  for (const calls of [[add(1n)], [add(2n), add(3n)]]) {
    const { txStatus, eth, error } = await polled(await begun(calls, { from: poor, sponsor: true }));
    assert.deepEqual([txStatus, error], ['INCLUDED', undefined]);
    const receipt = await receiptOf(eth?.txHash);
    assert.deepEqual([receipt.from, receipt.status], [paymaster.toLowerCase(), 'success']);
    assert.equal(((await world.view('Target', target, 'lastSender')) as string).toLowerCase(), poor.toLowerCase());
  }
  assert.equal(await world.view('Target', target, 'total'), before + 6n);
  assert.equal(await world.node.getBalance({ address: poor }), 0n);
  const { error } = await failed({ to: target, data: calling('failWithCustom') }, { from: poor, sponsor: true });
  assert.equal(error!.eth!.revertChain!.at(-1)!.custom!.errorName, 'Custom');
  const { usageUsd } = await client.getGasUsage({});
  assert.ok(Number(usageUsd) > 0, usageUsd);
});

test('transactions that viem made and signed, by its own key or by one of the service', async () => {
  const { apiPublicKey, apiPrivateKey, organizationId } = credentials;
  const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
  const http = new TurnkeyClient({ baseUrl: url }, stamper);
  const kept = await createAccount({ client, organizationId, signWith: from, ethereumAddress: from } as never);
  const own = privateKeyToAccount(generatePrivateKey());
  await world.admin.setBalance({ address: own.address, value: parseEther('1') });
  for (const account of [own, kept]) {
    const nonce = await world.node.getTransactionCount({ address: account.address });
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
    const signedTransaction = await account.signTransaction({
      type: 'eip1559',
      chainId: 31337,
      nonce,
      to: FRIEND,
      value: 1n,
      gas: 21_000n,
      ...fees,
    });
    const parameters = { signedTransaction, caip2 };
    const type = 'ACTIVITY_TYPE_ETH_SEND_RAW_TRANSACTION' as const;
    const { activity } = await http.ethSendRawTransaction({ type, timestampMs: String(Date.now()), organizationId, parameters });
    const { transactionHash } = activity.result.ethSendRawTransactionResult!;
    assert.equal(transactionHash, keccak256(signedTransaction));
    const receipt = await world.node.waitForTransactionReceipt({ hash: transactionHash as Hex });
    assert.deepEqual([receipt.status, receipt.from], ['success', account.address.toLowerCase()]);
    const { sends } = (await root.query('list_sends', { filterByActivityId: activity.id })).body;
    assert.deepEqual(
      sends.map((send: { hash: string; from: string }) => [send.hash, send.from]),
      [[transactionHash, account.address.toLowerCase()]],
    );
  }
});
