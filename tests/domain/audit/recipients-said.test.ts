/** What a review says of accounts that are paid: first uses, own accounts, and addresses that begin and end alike. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { encodeFunctionData, parseAbi, serializeTransaction } from 'viem';
import { reviewActivity } from '../../../src/queries/activities/review-activity.ts';
import { sharedPair } from '../../activities/support.ts';
import { newWallet } from '../../e2e/authority.ts';
import { auditSettled } from '../../support/audit-settled.ts';
import { resultOf } from '../../support/client.ts';

const { instance } = await sharedPair();
const { root } = instance;

const { addresses } = await newWallet(root, 2);
const [signWith, other] = addresses as [string, string];
const { client: asker } = await instance.newUser('Asker of payments');
const policy = {
  ...{ policyName: 'Payments by two', effect: 'EFFECT_ALLOW', notes: '' },
  condition: "activity.kind in ['SIGN_TRANSACTION', 'SOL_SEND_TRANSACTION']",
  consensus: 'approvers.count() >= 2',
};
resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');

const fees = { type: 'eip1559', chainId: 1, gas: 60_000n, maxFeePerGas: 30n, maxPriorityFeePerGas: 1n } as const;
let nonce = 0;

const signing = (transaction: object): [string, object] => [
  'SIGN_TRANSACTION_V2',
  {
    ...{ signWith, type: 'TRANSACTION_TYPE_ETHEREUM' },
    unsignedTransaction: serializeTransaction({ ...fees, nonce: nonce++, ...transaction } as never).slice(2),
  },
];

const saidOf = (transaction: object) => saidOfRequest(...signing(transaction));

/** What a review says of a payment that waits. */
async function saidOfRequest(type: string, parameters: object) {
  const sent = await asker.submit(type, parameters);
  assert.equal(sent.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', sent.text);
  const { body } = await root.query('review_activity', { activityId: sent.body.activity.id });
  assert.deepEqual(reviewActivity.result.parse(body), body, 'the answer has its declared shape');
  return body;
}

const PAID = '0x1111000000000000000000000000000000002222';
const ALIKE = '0x1111ffffffffffffffffffffffffffffffff2222';

/** Another address that begins and ends as this one. */
const likeOf = (address: string) => `${address.slice(0, 6)}${'0'.repeat(32)}${address.slice(-4)}`;

test('a first use, an earlier payment, an own account, and look-alikes of both are told', async () => {
  await auditSettled(instance);
  const first = await saidOf({ to: PAID, value: 1n });
  assert.deepEqual(first.recipients, [{ address: PAID, isOwn: false }]);
  assert.ok(Number(first.recipientsSince.seconds) <= Number(first.votes[0].createdAt.seconds));

  const paid = await root.submit(...signing({ to: PAID, value: 1n }));
  const { id: activityId, createdAt, status } = paid.body.activity;
  assert.equal(status, 'ACTIVITY_STATUS_COMPLETED', paid.text);
  await auditSettled(instance);
  assert.deepEqual((await saidOf({ to: PAID, value: 2n })).recipients, [
    { address: PAID, isOwn: false, earlier: { activityId, createdAt } },
  ]);
  const { body } = await root.query('review_activity', { activityId: first.activityId });
  assert.deepEqual(body.recipients, first.recipients, 'a later payment is no earlier one');

  const abi = parseAbi(['function transfer(address to, uint256 amount)']);
  const data = encodeFunctionData({ abi, args: [ALIKE, 5n] });
  assert.deepEqual((await saidOf({ to: `0x${'ab'.repeat(20)}`, data })).recipients, [
    { address: ALIKE, isOwn: false, alike: { address: PAID, activityId, isOwn: false } },
  ]);

  const own = signWith.toLowerCase();
  const [toOwn] = (await saidOf({ to: other, value: 1n })).recipients;
  assert.deepEqual([toOwn.address, toOwn.isOwn], [other.toLowerCase(), true]);
  const [alike] = (await saidOf({ to: likeOf(own), value: 1n })).recipients;
  assert.deepEqual([alike.alike.address, alike.alike.isOwn, alike.earlier], [own, true, undefined]);
});

/** Completed payments. */
async function pays(...to: string[]): Promise<void> {
  return paysOn(1, ...to);
}

async function paysOn(chainId: number, ...to: string[]): Promise<void> {
  for (const one of to) {
    const paid = await root.submit(...signing({ to: one, value: 1n, chainId }));
    assert.equal(paid.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', paid.text);
  }
  await auditSettled(instance);
}

test('payments to a look-alike do not hide the payee that it imitates', async () => {
  const [payee, fake] = ['a', 'b'].map((digit) => `0x5555${digit.repeat(32)}6666`) as [string, string];
  await pays(payee);
  instance.clock.advance(1000);
  await pays(fake, fake, fake, fake);
  instance.clock.advance(1000);
  const [said] = (await saidOf({ to: fake, value: 1n })).recipients;
  assert.deepEqual([said.earlier !== undefined, said.alike?.address], [true, payee]);
});

test('dust on a test network makes no account known elsewhere', async () => {
  const sepolia = 11155111;
  const [payee, fake] = ['c', 'd'].map((digit) => `0x7777${digit.repeat(32)}8888`) as [string, string];
  await pays(payee);
  await paysOn(sepolia, fake);
  const [said] = (await saidOf({ to: fake, value: 1n })).recipients;
  assert.deepEqual([said.earlier, said.alike?.address], [undefined, payee]);
  const [there] = (await saidOf({ to: fake, value: 1n, chainId: sepolia })).recipients;
  assert.ok(there.earlier !== undefined);
  const [known] = (await saidOf({ to: payee, value: 1n })).recipients;
  assert.ok(known.earlier !== undefined);
});

test('a send whose fee a sponsor pays has recipients too', async () => {
  const account = {
    ...{ curve: 'CURVE_ED25519', pathFormat: 'PATH_FORMAT_BIP32', addressFormat: 'ADDRESS_FORMAT_SOLANA' },
    path: "m/44'/501'/0'/0'",
  };
  const made = await root.submit('CREATE_WALLET', { walletName: 'Solana', accounts: [account] });
  const payer = resultOf(made, 'createWalletResult').addresses[0];
  const [fromPubkey, toPubkey] = [new PublicKey(payer), new PublicKey(Buffer.alloc(32, 77))];
  const unsigned = new Transaction({ feePayer: fromPubkey, blockhash: toPubkey.toBase58(), lastValidBlockHeight: 0 });
  unsigned.add(SystemProgram.transfer({ fromPubkey, toPubkey, lamports: 1 }));
  const unsignedTransaction = unsigned.serialize({ requireAllSignatures: false }).toString('hex');
  const asked = { unsignedTransaction, signWiths: [payer], sponsor: true, caip2: 'solana:devnet' };
  const { recipients } = await saidOfRequest('SOL_SEND_TRANSACTION_V2', asked);
  assert.deepEqual(recipients, [{ address: toPubkey.toBase58(), isOwn: false }]);
});

test('what waits, or is rejected, makes no account known', async () => {
  const to = `0x${'33'.repeat(20)}`;
  const { activityId } = await saidOf({ to, value: 1n });
  const { fingerprint } = (await root.query('get_activity', { activityId })).body.activity;
  await root.submit('REJECT_ACTIVITY', { fingerprint });
  await auditSettled(instance);
  assert.equal((await saidOf({ to, value: 1n })).recipients[0].earlier, undefined);
});

test('facts from before recipients were written are named by their time', async () => {
  await auditSettled(instance);
  await instance.raw("DELETE FROM instance WHERE key = 'network_recipients_since'");
  instance.clock.advance(60_000);
  const from = Math.floor(instance.clock.now() / 1000);
  const { recipientsSince } = await saidOf({ to: PAID, value: 1n });
  assert.ok(Number(recipientsSince.seconds) >= from);
});
