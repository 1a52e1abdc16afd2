import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { address as addresses, Psbt, Transaction } from 'bitcoinjs-lib';
import { serializeTransaction, type TransactionSerializable } from 'viem';
import { weiControl } from '../activities/velocity-controls/spends.ts';
import { aggregation, velocityControl } from '../activities/velocity-controls/support.ts';
import { type Client, ethereumAccount, resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { refused, refusedByOwn } from '../support/refusals.ts';
import { newSend } from '../support/world/sends.ts';

const instance = await sharedInstance();
const SIGN = 'SIGN_TRANSACTION_V2';
const [A, B] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as const;

let client: Client;
let address: string;
let walletId: string;
let nonces = 0;

/** An organization of its own for each test. */
async function newPlace(name: string): Promise<void> {
  [client] = (await instance.newSubOrganization(name, 1, 1)).clients as [Client];
  const made = resultOf(
    await client.submit('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] }),
    'createWalletResult',
  );
  [address] = made.addresses;
  walletId = made.walletId;
}

const always = (more: object = {}) => ({ countersign: { enforcement: 'ALWAYS', ...more } });

const control = async (parameters: object): Promise<string> =>
  resultOf(await client.submit('CREATE_VELOCITY_CONTROL', parameters), 'createVelocityControlResult').velocityControlId;

const sign = (fields: object) => {
  const all = { type: 'eip1559', chainId: 1, nonce: nonces++, gas: 21_000n, maxFeePerGas: 1n, value: 0n, ...fields };
  const unsignedTransaction = serializeTransaction(all as TransactionSerializable);
  return client.submit(SIGN, { signWith: address, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction });
};
const signs = async (fields: object) => assert.equal((await sign(fields)).status, 200);
const exceeds = async (fields: object, text: RegExp) => refused(await sign(fields), [403, 'UNSPECIFIED', text]);

const buckets = async (velocityControlId: string): Promise<{ bucket: string; counted: string }[]> =>
  (await client.query('list_velocity_buckets', { velocityControlId })).body.velocityBuckets;

before(() => newPlace('Options'));

test('a counter for each recipient holds for the root quorum too, and an amount without a recipient is not readable', async () => {
  await newPlace('Recipients');
  const id = await control(weiControl('each', 10n, always({ groupBy: 'recipient' }), { groupBy: { wallet: {} } }));
  await signs({ to: A, value: 7n });
  await signs({ to: B, value: 7n });
  await exceeds({ to: A, value: 4n }, new RegExp(`each: 0\\.0{17}4 asked, 0\\.0{17}3 left of .* for wallet ${walletId}/${A};`));
  await signs({ to: A, value: 3n });
  await exceeds(
    { data: '0x6000', value: 1n },
    /each: what the activity takes cannot be read: its recipient is not in what is signed/,
  );
  assert.deepEqual(
    (await buckets(id)).map(({ bucket, counted }) => [bucket, counted]),
    [
      [`${walletId}/${A}`, '0.00000000000000001'],
      [`${walletId}/${B}`, '0.000000000000000007'],
    ],
  );
});

test('fees add to the sum of the coin, so a fee is no way to pay more', async () => {
  await newPlace('Fees');
  const id = await control(weiControl('sum', 50_000n, always({ fees: true })));
  await signs({ to: A, value: 8_000n });
  await exceeds({ to: A, maxFeePerGas: 2n }, /sum: 0\.0{13}42 asked, 0\.0{13}21 left of /);
  await signs({ to: A, data: '0x12345678' });
  assert.equal((await buckets(id))[0]?.counted, '0.00000000000005');
});

test('the fee of Bitcoin counts without fees too, so an output of nothing is no way to pay more', async () => {
  await newPlace('Bitcoin');
  const account = { ...ethereumAccount(1), addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH' };
  const made = await client.submit('CREATE_WALLET_ACCOUNTS', { walletId, accounts: [account] });
  const [signWith] = resultOf(made, 'createWalletAccountsResult').addresses;
  const definition = [{ caip19: 'bip122:000000000019d6689c085ae165831e93/slip44:0', decimals: '8' }];
  const more = { dataSource: { chainAssetTransfer: { definition } }, aggregation: aggregation({ threshold: '1' }) };
  const [sum, each] = [
    await control(velocityControl({ identifier: 'sum', ...more, ...always() })),
    await control(velocityControl({ identifier: 'each', ...more, ...always({ groupBy: 'recipient' }) })),
  ];
  const script = addresses.toOutputScript(signWith);
  const spend = (value: bigint) => {
    const previous = new Transaction();
    previous.addInput(Buffer.alloc(32, ++nonces), 0);
    previous.addOutput(script, value);
    const psbt = new Psbt().addInput({ hash: previous.getId(), index: 0, nonWitnessUtxo: previous.toBuffer() });
    const unsignedTransaction = psbt.addOutput({ script: Buffer.of(0x6a), value: 0n }).toHex();
    return client.submit(SIGN, { signWith, type: 'TRANSACTION_TYPE_BITCOIN', unsignedTransaction });
  };
  assert.equal((await spend(60_000_000n)).status, 200);
  refused(await spend(50_000_000n), [403, 'UNSPECIFIED', /(?:sum|each): 0\.5 asked, 0\.4 left of /]);
  const counted = await Promise.all([sum, each].map(buckets));
  assert.deepEqual(
    counted.map(([one]) => [one?.bucket, one?.counted]),
    [
      ['', '0.6'],
      ['/', '0.6'],
    ],
  );
});

test('a speed-up counts the fee that it adds to its send', async () => {
  await newPlace('Speed-ups');
  const definition = [{ caip19: 'eip155:424242/slip44:60', decimals: '18' }];
  const dataSource = { chainAssetTransfer: { definition } };
  // The send's own bound is three times its price of 2 gwei.
  const id = await control(weiControl('raised', 21_000n * 84_000_000_000n, { ...always({ fees: true }), dataSource }));
  const send = await newSend({ instance, client }, address);
  const speedUp = (maxFeePerGas: string) =>
    client.submit('COUNTERSIGN_SPEED_UP_SEND', { sendTransactionStatusId: send.id, reason: 'Busy', maxFeePerGas });
  assert.equal((await speedUp('5000000000')).status, 200);
  assert.equal((await buckets(id))[0]?.counted, '0');
  assert.equal((await speedUp('90000000000')).status, 200);
  refused(await speedUp('100000000000'), [403, 'UNSPECIFIED', /raised: 0\.00021 asked, 0 left of /]);
});

test('a condition says which transfers count, and one that fails counts', async () => {
  await newPlace('Conditions');
  const id = await control(
    weiControl('others', 10n, always({ condition: `transfer.recipient != '${A.toUpperCase().replace('X', 'x')}'` })),
  );
  await signs({ to: A, value: 100n });
  await signs({ to: B, value: 7n });
  await exceeds({ to: B, value: 4n }, /others: 0\.0{17}4 asked, 0\.0{17}3 left of /);
  // The recipient is unknown, so the condition fails.
  await exceeds({ data: '0x6000', value: 4n }, /others: 0\.0{17}4 asked/);
  assert.equal((await buckets(id))[0]?.counted, '0.000000000000000007');
});

test('a condition that is false of the whole activity excludes also what cannot be read', async () => {
  await newPlace('Messages');
  await control(weiControl('known', 10n, always({ condition: "activity.kind == 'SIGN_TRANSACTION'" })));
  const digest = { signWith: address, payload: '11'.repeat(32), encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' };
  const raw = () => client.submit('SIGN_RAW_PAYLOAD_V2', { ...digest, hashFunction: 'HASH_FUNCTION_NO_OP' });
  assert.equal((await raw()).status, 200);
  await exceeds({ to: A, value: 11n }, /known: /);
  await control(weiControl('failing', 10n, always({ condition: "transfer.kind == 'transfer'" })));
  refused(await raw(), [403, 'UNSPECIFIED', /failing: what the activity takes cannot be read/]);
});

test('another name of a key has the counter of its signer', async () => {
  await newPlace('Names');
  const id = await control(weiControl('signer', 10n, always({ groupBy: 'signer' })));
  await signs({ to: A, value: 7n });
  const name = { ...ethereumAccount(), addressFormat: 'ADDRESS_FORMAT_COMPRESSED' };
  const made = await client.submit('CREATE_WALLET_ACCOUNTS', { walletId, accounts: [name] });
  [address] = resultOf(made, 'createWalletAccountsResult').addresses;
  await exceeds({ to: A, value: 4n }, /signer: 0\.0{17}4 asked, 0\.0{17}3 left of /);
  assert.deepEqual(
    (await buckets(id)).map(({ bucket }) => bucket),
    [`/${address}`],
  );
});

test('conditions of an organization have a bound together', async () => {
  await newPlace('Many');
  const long = (n: number) =>
    weiControl(
      `long_${n}`,
      10n,
      always({ condition: `transfer.amount == ${n} || ${'transfer.amount == 5 || '.repeat(680)}false` }),
    );
  for (let n = 0; n < 12; n++) await control(long(n));
  refusedByOwn(await client.submit('CREATE_VELOCITY_CONTROL', long(12)), [429, 'LIMIT_EXCEEDED', /200000 characters together/]);
});
