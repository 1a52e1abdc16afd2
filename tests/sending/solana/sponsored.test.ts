import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ComputeBudgetProgram, PublicKey, SystemProgram, TransactionInstruction, VersionedTransaction } from '@solana/web3.js';
import { solanaNetwork } from '../../../src/model/caip2.ts';
import { approvedBy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import {
  attemptsOf,
  FRIEND,
  idOf,
  newAccounts,
  sendOf,
  sendRow,
  sharedSending,
  TYPE,
  transaction,
  transfer,
  until,
  whenRow,
} from './support.ts';

const sending = await sharedSending({ GAS_PRICES_USD: 'solana:devnet=150' });
const { instance, node } = sending;
const { root, clock } = instance;
let paymaster: PublicKey;
let user: PublicKey;
let other: PublicKey;
before(async () => {
  const sponsor = await instance.engine.sponsorship.sponsorOf(solanaNetwork('devnet'), root.organizationId);
  paymaster = new PublicKey((sponsor as { paymaster: string }).paymaster);
  [user, other] = (await newAccounts(sending, root, 2)) as [PublicKey, PublicKey];
});

const balance = (key: PublicKey) => node.svm.getBalance(key.toBase58() as never) ?? 0n;
const hash = () => node.svm.latestBlockhash() as string;
const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 10_000 });
const sponsored = (signWiths: PublicKey[], unsigned: string, more: object = {}) =>
  root.submit(TYPE, sendOf(signWiths, unsigned, { sponsor: true, ...more }));
const usage = async () => Number((await root.query('get_gas_usage')).body.usageUsd);

test('an organization whose sends are not sponsored is refused', async () => {
  refused(await sponsored([user], transaction({ payer: user }, transfer(user))), [
    400,
    'UNSPECIFIED',
    /gas sponsorship is not enabled/,
  ]);
});

test('the paymaster pays, and what it cost is counted', async () => {
  const config = { orgWindowLimitUsd: '1', subOrgWindowLimitUsd: '1', windowDurationMinutes: '60', enabled: true };
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', config), 'upsertGasUsageConfigResult');
  node.airdrop(paymaster.toBase58(), 1_000_000_000n);
  const before = [balance(user), balance(FRIEND)] as const;
  const id = idOf(await sponsored([user], transaction({ payer: user }, transfer(user, 2_000_000))));
  const reserved = await usage();
  assert.ok(reserved > 0.0015, String(reserved));
  await until(root, id, 'INCLUDED');
  assert.deepEqual([balance(user), balance(FRIEND)], [before[0] - 2_000_000n, before[1] + 2_000_000n]);
  const [attempt] = await attemptsOf(sending, id);
  assert.deepEqual(
    attempt!.sent.message.staticAccountKeys.slice(0, 2).map((key) => key.toBase58()),
    [paymaster.toBase58(), user.toBase58()],
  );
  const { account, fromAddress, sponsored: isSponsored } = await sendRow(instance, id);
  assert.deepEqual([account, fromAddress, isSponsored], [paymaster.toBase58(), user.toBase58(), true]);
  node.advance(32);
  await whenRow(sending, id, 'final', () => clock.advance(2_500));
  const paid = 1_000_000_000n - balance(paymaster);
  assert.ok(paid >= 10_000n);
  assert.ok(Math.abs((await usage()) - (Number(paid) / 1e9) * 150) < 0.00001, `${await usage()}`);
});

test('an account without any money is sponsored, and so are several signers and a blockhash of the caller', async () => {
  const [poor] = (await newAccounts(sending, root, 1, 0n)) as [PublicKey];
  const memo = new TransactionInstruction({
    programId: new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    keys: [{ pubkey: poor, isSigner: true, isWritable: false }],
    data: Buffer.from('hello'),
  });
  await until(root, idOf(await sponsored([poor], transaction({ payer: poor, legacy: true }, memo))), 'INCLUDED');
  const both = transaction({ payer: poor, blockhash: hash() }, limit, transfer(user), transfer(other), memo);
  await until(root, idOf(await sponsored([poor, user, other], both)), 'INCLUDED');
});

test('policies see who pays', async () => {
  const { client, userId } = await instance.newUser('Policy user');
  const condition = `solana.tx.account_keys[0] == '${paymaster.toBase58()}' && solana.tx.transfers.all(t, t.from == '${user.toBase58()}')`;
  const policy = { policyName: 'Sponsored', effect: 'EFFECT_ALLOW', condition, consensus: approvedBy(userId), notes: '' };
  resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  const unsigned = transaction({ payer: user }, transfer(user));
  refused(await client.submit(TYPE, sendOf([user], unsigned)), [403, 'REQUEST_NOT_AUTHORIZED', /permission|not authorized/]);
  await until(root, idOf(await client.submit(TYPE, sendOf([user], unsigned, { sponsor: true }))), 'INCLUDED');
});

test('nothing may touch the money of the paymaster, or make it sign more than its fee', async () => {
  const theft = SystemProgram.transfer({ fromPubkey: paymaster, toPubkey: user, lamports: 1_000_000 });
  const named = [400, 'INVALID_TRANSACTION', /must not use the account that sponsors it/] as const;
  refused(await sponsored([user], transaction({ payer: user }, transfer(user), theft)), [...named]);
  refused(await sponsored([user], transaction({ payer: paymaster }, transfer(user), theft)), [...named]);
  const read = new TransactionInstruction({
    programId: FRIEND,
    keys: [{ pubkey: paymaster, isSigner: false, isWritable: false }],
    data: Buffer.alloc(0),
  });
  refused(await sponsored([user], transaction({ payer: user }, transfer(user), read)), [...named]);
  // A client may have put it in as who pays.
  await until(root, idOf(await sponsored([user], transaction({ payer: paymaster }, transfer(user)))), 'INCLUDED');
  // Not sponsored, nobody signs for it.
  refused(await root.submit(TYPE, sendOf([user], transaction({ payer: paymaster }, transfer(user)))), [
    400,
    'REQUEST_INVALID',
    new RegExp(`${paymaster.toBase58()} must sign too`),
  ]);
});

test('what is not sponsored: new accounts, what others signed, more than the limit', async () => {
  const create = { fromPubkey: user, newAccountPubkey: other, lamports: 1_000_000, space: 0, programId: FRIEND };
  const creates = transaction({ payer: user }, SystemProgram.createAccount(create));
  refused(await sponsored([user, other], creates), [400, 'INVALID_TRANSACTION', /must not create an account/]);
  const signed = VersionedTransaction.deserialize(
    Buffer.from(transaction({ payer: user, blockhash: hash() }, transfer(user), transfer(other)), 'hex'),
  );
  const both = idOf(await root.submit(TYPE, sendOf([user, other], Buffer.from(signed.serialize()).toString('hex'))));
  await until(root, both, 'INCLUDED');
  const [attempt] = await attemptsOf(sending, both);
  const partly = Buffer.from(attempt!.sent.serialize());
  partly.fill(0, 1, 65);
  refused(await sponsored([user], partly.toString('hex')), [
    400,
    'REQUEST_INVALID',
    /parameters\.sponsor: must be false: others/,
  ]);
  const dear = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10_000_000_000_000 });
  refused(await sponsored([user], transaction({ payer: user }, limit, dear, transfer(user))), [
    429,
    'UNSPECIFIED',
    /limit of the organization/,
  ]);
});

test('a sponsored send that fails before it is sent costs nothing', async () => {
  const before = await usage();
  const id = idOf(await sponsored([user], transaction({ payer: user }, transfer(user, 10 ** 12))));
  await until(root, id, 'FAILED');
  assert.equal(await usage(), before);
});

test('rent is not paid in advance: an organization that asked for it is told so', async () => {
  const tokens = new TransactionInstruction({
    programId: new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'),
    keys: [{ pubkey: user, isSigner: true, isWritable: true }],
    data: Buffer.of(1),
  });
  const unsigned = transaction({ payer: user }, limit, tokens);
  await until(root, idOf(await sponsored([user], unsigned)), 'FAILED');
  const config = { orgWindowLimitUsd: '1', subOrgWindowLimitUsd: '1', windowDurationMinutes: '60' };
  const solanaConfig = { rentPrefundEnabled: true };
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', { ...config, solanaConfig }), 'upsertGasUsageConfigResult');
  refused(await sponsored([user], unsigned), [400, 'INVALID_TRANSACTION', /rent is not paid in advance here/]);
});
