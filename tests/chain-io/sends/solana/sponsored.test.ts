import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  MessageV0,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { solanaNetwork } from '../../../../src/model/caip2.ts';
import { approvedBy } from '../../../e2e/authority.ts';
import { resultOf } from '../../../support/client.ts';
import { refused } from '../../../support/refusals.ts';
import {
  attemptsOf,
  FRIEND,
  idOf,
  newAccounts,
  sendOf,
  sendRow,
  setAccount,
  sharedSending,
  TYPE,
  transaction,
  transfer,
  until,
  whenRow,
} from './support.ts';

const sending = await sharedSending({ GAS_PRICES_USD: 'solana:devnet=150', GAS_RENT_LAMPORTS: '5000000' });
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

test('the paymaster pays, and the cost is counted', async () => {
  const config = { orgWindowLimitUsd: '1', subOrgWindowLimitUsd: '1', windowDurationMinutes: '60', enabled: true };
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', config), 'upsertGasUsageConfigResult');
  const unpaid = await until(root, idOf(await sponsored([user], transaction({ payer: user }, transfer(user)))), 'FAILED');
  const whose = `the paymaster ${paymaster.toBase58()} has too few coins for the fee, and its operator must send it more`;
  assert.equal(unpaid.error.message, `${whose}: account not found`);
  assert.equal(await usage(), 0);
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
  // It signs for every instruction that names it: as owner, as authority, or as the account that gets an owner.
  const nonce = new PublicKey(Buffer.alloc(32, 60));
  const attacks = [
    SystemProgram.assign({ accountPubkey: paymaster, programId: FRIEND }),
    SystemProgram.allocate({ accountPubkey: paymaster, space: 100 }),
    SystemProgram.nonceAdvance({ noncePubkey: nonce, authorizedPubkey: paymaster }),
    SystemProgram.nonceAdvance({ noncePubkey: paymaster, authorizedPubkey: user }),
    SystemProgram.nonceWithdraw({ noncePubkey: nonce, authorizedPubkey: paymaster, toPubkey: user, lamports: 1 }),
    SystemProgram.nonceAuthorize({ noncePubkey: nonce, authorizedPubkey: paymaster, newAuthorizedPubkey: user }),
    tokenAccount(paymaster, user, FRIEND).make,
    // Owned by it, and paid by the user.
    tokenAccount(user, paymaster, FRIEND).make,
    new TransactionInstruction({
      programId: TOKENS,
      keys: [FRIEND, other, paymaster].map((pubkey, i) => ({ pubkey, isSigner: i === 2, isWritable: i < 2 })),
      data: Buffer.of(3, 1, 0, 0, 0, 0, 0, 0, 0),
    }),
  ];
  for (const attack of attacks)
    for (const payer of [user, paymaster])
      refused(await sponsored([user], transaction({ payer }, attack, transfer(user))), [...named]);
  const program = new TransactionInstruction({ programId: paymaster, keys: [], data: Buffer.alloc(0) });
  refused(await sponsored([user], transaction({ payer: user }, program, transfer(user))), [...named]);
  refused(await sponsored([user, paymaster], transaction({ payer: user }, transfer(user))), [
    404,
    'UNSPECIFIED',
    /signer not found/,
  ]);
  // A client may have put it in as the payer.
  await until(root, idOf(await sponsored([user], transaction({ payer: paymaster }, transfer(user)))), 'INCLUDED');
  // Unsponsored, no other account signs for it.
  refused(await root.submit(TYPE, sendOf([user], transaction({ payer: paymaster }, transfer(user)))), [
    400,
    'REQUEST_INVALID',
    new RegExp(`${paymaster.toBase58()} must also sign`),
  ]);
});

test('a message that names the paymaster twice, or without need, is refused; the chain refuses one that loads it from a table', async () => {
  const compiled = VersionedTransaction.deserialize(Buffer.from(transaction({ payer: paymaster }, transfer(user)), 'hex'));
  const keys = compiled.message.staticAccountKeys;
  const add = (header: object, ...more: PublicKey[]) => {
    const fields = { ...(compiled.message as MessageV0), header: { ...compiled.message.header, ...header } };
    const message = new MessageV0({ ...fields, staticAccountKeys: [...keys, ...more] } as never);
    return Buffer.from(new VersionedTransaction(message).serialize()).toString('hex');
  };
  refused(await sponsored([user], add({ numReadonlyUnsignedAccounts: 2 }, paymaster)), [
    400,
    'INVALID_TRANSACTION',
    /an account key occurs twice/,
  ]);
  keys[0] = other;
  refused(await sponsored([user, other], add({ numReadonlyUnsignedAccounts: 2 }, paymaster)), [
    400,
    'INVALID_TRANSACTION',
    /must not use the account that sponsors it/,
  ]);
  const table = new PublicKey(Buffer.alloc(32, 61));
  const head = Buffer.alloc(56);
  head.writeUInt32LE(1, 0);
  head.writeBigUInt64LE(2n ** 64n - 1n, 4);
  setAccount(node, table, AddressLookupTableProgram.programId, Buffer.concat([head, paymaster.toBuffer()]));
  const had = balance(paymaster);
  const state = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0, addresses: [paymaster] };
  for (const isWritable of [true, false])
    for (const budget of [[], [limit]]) {
      const gift = SystemProgram.transfer({ fromPubkey: user, toPubkey: paymaster, lamports: 1 });
      gift.keys[1]!.isWritable = isWritable;
      const message = new TransactionMessage({ payerKey: user, recentBlockhash: hash(), instructions: [...budget, gift] });
      const made = message.compileToV0Message([new AddressLookupTableAccount({ key: table, state })]);
      assert.equal(made.addressTableLookups.length, 1);
      const id = idOf(await sponsored([user], Buffer.from(new VersionedTransaction(made).serialize()).toString('hex')));
      assert.match((await until(root, id, 'FAILED')).txError, /account loaded twice/);
    }
  assert.equal(balance(paymaster), had);
});

test('transactions that are not sponsored: new accounts, what others signed, more than the limit', async () => {
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
    /parameters\.sponsor: must be false: the transaction already has other signatures/,
  ]);
  // The paymaster's signature would be valid for ever, and a transaction that never lands would be broadcast for ever. With a
  // budget nothing is simulated.
  const advance = SystemProgram.nonceAdvance({ noncePubkey: FRIEND, authorizedPubkey: user });
  refused(await sponsored([user], transaction({ payer: user, blockhash: other.toBase58() }, advance, limit, transfer(user))), [
    400,
    'INVALID_TRANSACTION',
    /must not use a durable nonce/,
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

const TOKENS = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const TOKEN_ACCOUNTS = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const RENT = 2_039_280n;

/** A token, at this address. */
function mint(seed: number): PublicKey {
  const key = new PublicKey(Buffer.alloc(32, seed));
  const data = Buffer.alloc(82);
  data[45] = 1;
  setAccount(node, key, TOKENS, data);
  return key;
}

function tokenAccount(payer: PublicKey, owner: PublicKey, token: PublicKey) {
  const seeds = [owner.toBuffer(), TOKENS.toBuffer(), token.toBuffer()];
  const [address] = PublicKey.findProgramAddressSync(seeds, TOKEN_ACCOUNTS);
  const accounts = [address, owner, token, SystemProgram.programId, TOKENS].map((pubkey, i) => ({
    pubkey,
    isSigner: false,
    isWritable: i === 0,
  }));
  const keys = [{ pubkey: payer, isSigner: true, isWritable: true }, ...accounts];
  return { address, make: new TransactionInstruction({ programId: TOKEN_ACCOUNTS, keys, data: Buffer.of(1) }) };
}

const limits = { orgWindowLimitUsd: '10', subOrgWindowLimitUsd: '1', windowDurationMinutes: '60' };
const configure = async (more: object) =>
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', { ...limits, ...more }), 'upsertGasUsageConfigResult');

test('without having asked for it, signers pay for the accounts that they make', async () => {
  const { make } = tokenAccount(other, other, mint(50));
  const had = balance(other);
  await until(root, idOf(await sponsored([other], transaction({ payer: other }, make))), 'INCLUDED');
  assert.equal(balance(other), had - RENT);
});

test('rent of accounts that signers make is paid in advance, as policies see it, and counted', async () => {
  await configure({ solanaConfig: { rentPrefundEnabled: true } });
  const [poor, second] = (await newAccounts(sending, root, 2, 0n)) as [PublicKey, PublicKey];
  const [one, two] = [tokenAccount(poor, poor, mint(51)), tokenAccount(second, poor, mint(52))];
  const [had, used] = [balance(paymaster), await usage()];
  const { client, userId } = await instance.newUser('Rent user');
  const signs = `solana.tx.transfers.all(t, t.from == '${paymaster.toBase58()}' && t.amount == '${RENT}')`;
  const policy = { policyName: 'Rent', effect: 'EFFECT_ALLOW', condition: signs, consensus: approvedBy(userId), notes: '' };
  resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  const unsigned = transaction({ payer: poor }, one.make, two.make, one.make);
  const id = idOf(await client.submit(TYPE, sendOf([poor, second], unsigned, { sponsor: true })));
  assert.ok((await usage()) - used >= Number(2n * RENT) * 150e-9);
  await until(root, id, 'INCLUDED');
  assert.deepEqual([balance(poor), balance(second), balance(one.address), balance(two.address)], [0n, 0n, RENT, RENT]);
  const paid = had - balance(paymaster);
  assert.ok(paid > 2n * RENT && paid < 2n * RENT + 20_000n, String(paid));
  node.advance(32);
  await whenRow(sending, id, 'final', () => clock.advance(2_500));
  assert.ok(Math.abs((await usage()) - used - Number(paid) * 150e-9) < 0.00001);
  // They are there already: no rent.
  const again = idOf(await sponsored([poor, second], unsigned));
  await until(root, again, 'INCLUDED');
  assert.deepEqual([balance(poor), balance(second)], [0n, 0n]);
  assert.ok(had - balance(paymaster) - paid < 20_000n);
});

test('a transaction with a budget and a blockhash of its own gets rent too; one that fails, or needs more than the most, none', async () => {
  const [poor] = (await newAccounts(sending, root, 1, 0n)) as [PublicKey];
  const units = ComputeBudgetProgram.setComputeUnitLimit({ units: 100_000 });
  const made = [53, 54, 55, 56].map((seed) => tokenAccount(poor, poor, mint(seed)));
  const own = transaction({ payer: poor, blockhash: hash() }, units, made[0]!.make);
  await until(root, idOf(await sponsored([poor], own)), 'INCLUDED');
  const had = balance(paymaster);
  const fails = idOf(await sponsored([poor], transaction({ payer: poor }, made[1]!.make, transfer(poor, 10 ** 12))));
  assert.match((await until(root, fails, 'FAILED')).txError, /custom program error/);
  refused(await sponsored([poor], transaction({ payer: poor }, ...made.slice(1).map(({ make }) => make))), [
    400,
    'INVALID_TRANSACTION',
    /need 6117840 lamports of rent, but this service pays at most 5000000/,
  ]);
  await configure({ orgWindowLimitUsd: '0.01' });
  refused(await sponsored([poor], transaction({ payer: poor }, made[1]!.make)), [
    429,
    'UNSPECIFIED',
    /limit of the organization/,
  ]);
  await configure({});
  assert.deepEqual([balance(poor), balance(paymaster)], [0n, had]);
});
