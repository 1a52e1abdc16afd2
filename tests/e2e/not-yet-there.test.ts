import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { generateP256KeyPair } from '@turnkey/crypto';
import { serializeTransaction } from 'viem';
import { type Answer, type Client, ethereumAccount, resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { approvedBy, denied, newPolicy, newWallet, signing } from './authority.ts';

const instance = await sharedInstance();
let client: Client;
let walletId: string;
let allowed: string[];

/** A user who may make accounts, and do everything with keys but what a DENY says of one wallet. */
before(async () => {
  const user = await instance.newUser('Maker');
  client = user.client;
  ({ walletId } = await newWallet(instance.root));
  allowed = ['CREATE_WALLET_ACCOUNTS', 'EXPORT_WALLET_ACCOUNT', 'SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS', 'SIGN_TRANSACTION'];
  const consensus = approvedBy(user.userId);
  await newPolicy(instance.root, { condition: `activity.kind in [${allowed.map((kind) => `'${kind}'`)}]`, consensus });
  const mine = `wallet.id == '${walletId}' && activity.action in ['EXPORT', 'SIGN']`;
  await newPolicy(instance.root, { effect: 'EFFECT_DENY', condition: mine, consensus: 'true' });
});

const targetPublicKey = generateP256KeyPair().publicKeyUncompressed;
const unsigned = serializeTransaction({ type: 'eip1559', chainId: 1, to: `0x${'aa'.repeat(20)}`, maxFeePerGas: 1n }).slice(2);

const uses: [string, (address: string) => Promise<Answer>][] = [
  ['EXPORT_WALLET_ACCOUNT', (address) => client.submit('EXPORT_WALLET_ACCOUNT', { address, targetPublicKey })],
  ['SIGN_RAW_PAYLOAD', (address) => client.submit('SIGN_RAW_PAYLOAD_V2', signing(address))],
  [
    'SIGN_RAW_PAYLOADS',
    (address) => {
      const { payload, ...rest } = signing(address);
      return client.submit('SIGN_RAW_PAYLOADS', { ...rest, payloads: [payload] });
    },
  ],
  [
    'SIGN_TRANSACTION',
    (signWith) =>
      client.submit('SIGN_TRANSACTION_V2', { signWith, unsignedTransaction: unsigned, type: 'TRANSACTION_TYPE_ETHEREUM' }),
  ],
];

test('a missing resource is denied by policies about it, and not found without them', async () => {
  const other = await instance.newSubOrganization('Without', 1, 1);
  const missing = `0x${'12'.repeat(20)}`;
  for (const [, use] of uses) denied(await use(missing), /policies denied/);
  const answer = await other.clients[0]!.submit('SIGN_RAW_PAYLOAD_V2', signing(missing));
  assert.equal(answer.status, 404, answer.text);
});

test('an account that is made while it is used evades no DENY about its wallet', async () => {
  const accounts = Array.from({ length: 200 }, (_, i) => ethereumAccount(1 + i));
  const dry = await client.submit('CREATE_WALLET_ACCOUNTS', { walletId, accounts: accounts.slice(0, 1), persist: false });
  const [address] = resultOf(dry, 'createWalletAccountsResult').addresses;
  let making = true;
  const made = client.submit('CREATE_WALLET_ACCOUNTS', { walletId, accounts }).finally(() => {
    making = false;
  });
  const answers: Answer[] = [];
  const use = async ([, use]: (typeof uses)[number]) => {
    while (making) answers.push(await use(address));
    answers.push(await use(address));
  };
  await Promise.all([...uses, ...uses].map(use));
  assert.equal(resultOf(await made, 'createWalletAccountsResult').addresses[0], address);
  assert.ok(answers.length > uses.length * 2);
  for (const answer of answers) denied(answer, /policies denied/);
});
