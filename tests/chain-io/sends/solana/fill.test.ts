import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { ApiError } from '../../../../src/base/errors.ts';
import { type FillingNode, fill, fillUnasked } from '../../../../src/chain-io/sends/solana/fill.ts';
import { readRequest } from '../../../../src/chain-io/sends/solana/read.ts';
import { NONE, sendOf, transaction, transfer } from './support.ts';

const payer = Keypair.fromSeed(new Uint8Array(32).fill(1));
const own = payer.publicKey;
const nonce = new PublicKey(Buffer.alloc(32, 2));
const hash = new PublicKey(Buffer.alloc(32, 3)).toBase58();
const BUDGET = ComputeBudgetProgram.programId.toBase58();
const SYSTEM = SystemProgram.programId.toBase58();

const nodeWith = ({ units = 1000n, prices = [] as bigint[] } = {}): FillingNode => ({
  latestBlockhash: async () => ({ blockhash: hash, lastValidBlockHeight: 150n, slot: 1n }),
  simulate: async () => ({ err: undefined, logs: [], unitsConsumed: units, innerInstructions: undefined }),
  balance: async () => 0n,
  priorityFees: async () => prices.map((lamports, i) => ({ slot: BigInt(i), lamports })),
});

const read = (unsigned: string, more: object = {}) => readRequest(sendOf([own], unsigned, more), undefined);
const sentOf = ({ transaction }: { transaction: string }) => VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
const programsOf = ({ message }: VersionedTransaction) =>
  message.compiledInstructions.map(({ programIdIndex }) => message.staticAccountKeys[programIdIndex]!.toBase58());
const budgetIn = ({ message }: VersionedTransaction) => {
  const data = message.compiledInstructions.map((one) => Buffer.from(one.data));
  return [data[0]!.readUInt32LE(1), data[1]!.readBigUInt64LE(1)];
};

test('the budget has a tenth more than was used, and the price of the latest blocks, within bounds', async () => {
  const unsigned = transaction({ payer: own }, transfer(own));
  const filled = await fill(nodeWith({ prices: [1n, 5n, 9n, 20n] }), read(unsigned));
  assert.deepEqual(budgetIn(sentOf(filled)), [2100, 20n]);
  assert.deepEqual([filled.blockhash, filled.lastValidBlockHeight, filled.refused], ['chosen', '150', null]);
  assert.equal(sentOf(filled).message.recentBlockhash, hash);
  const most = await fill(nodeWith({ units: 1_390_000n, prices: [10n ** 12n] }), read(unsigned));
  assert.deepEqual(budgetIn(sentOf(most)), [1_400_000, 1_000_000n]);
  assert.equal(most.lamports, String(5000n + 1_400_000n));
  // Nodes need not tell prices.
  const silent = { ...nodeWith(), priorityFees: () => Promise.reject(new Error('no such method')) };
  assert.deepEqual(budgetIn(sentOf(await fill(silent, read(unsigned)))), [2100, 0n]);
});

test('a durable nonce stays the first instruction, and what may count instructions comes first', async () => {
  const advance = SystemProgram.nonceAdvance({ noncePubkey: nonce, authorizedPubkey: own });
  const durable = await fill(nodeWith(), read(transaction({ payer: own, blockhash: hash }, advance, transfer(own))));
  assert.deepEqual(programsOf(sentOf(durable)), [SYSTEM, BUDGET, BUDGET, SYSTEM]);
  assert.deepEqual([durable.blockhash, durable.nonceAccount, durable.lastValidBlockHeight], ['nonce', nonce.toBase58(), null]);
  const checks = new TransactionInstruction({
    programId: new PublicKey('KeccakSecp256k11111111111111111111111111111'),
    keys: [],
    data: Buffer.of(0),
  });
  const counting = await fill(nodeWith(), read(transaction({ payer: own }, checks, transfer(own))));
  assert.deepEqual(programsOf(sentOf(counting)), [checks.programId.toBase58(), SYSTEM, BUDGET, BUDGET]);
});

test('nothing is asked where all is given, and a budget that does not fit is left out', async () => {
  const nobody = {} as FillingNode;
  const priced = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 });
  const unsigned = transaction({ payer: own, blockhash: hash }, priced, transfer(own));
  assert.equal(Buffer.from((await fill(nobody, read(unsigned))).transaction, 'base64').toString('hex'), unsigned);
  const long = new TransactionInstruction({ programId: nonce, keys: [], data: Buffer.alloc(1040) });
  const full = transaction({ payer: own, blockhash: hash }, long);
  assert.equal(Buffer.from((await fill(nobody, read(full))).transaction, 'base64').toString('hex'), full);
});

test('without nodes, a decision is explained with as many instructions as there would be', () => {
  const filled = fillUnasked(read(transaction({ payer: own }, transfer(own))));
  assert.deepEqual(programsOf(sentOf(filled)), [BUDGET, BUDGET, SYSTEM]);
  assert.equal(sentOf(filled).message.recentBlockhash, NONE);
});

test('a nonce account from a lookup table, and a signature over no blockhash, are refused', () => {
  const table = new AddressLookupTableAccount({
    key: new PublicKey(Buffer.alloc(32, 8)),
    state: { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0, addresses: [nonce] },
  });
  const advance = SystemProgram.nonceAdvance({ noncePubkey: nonce, authorizedPubkey: own });
  const message = new TransactionMessage({ payerKey: own, recentBlockhash: hash, instructions: [advance] });
  const looked = Buffer.from(new VersionedTransaction(message.compileToV0Message([table])).serialize()).toString('hex');
  const refusal = (why: RegExp) => (error: unknown) => error instanceof ApiError && why.test(error.message);
  assert.throws(() => read(looked), refusal(/durable nonce comes from a lookup table/));
  const other = Keypair.fromSeed(new Uint8Array(32).fill(4));
  const signed = VersionedTransaction.deserialize(
    Buffer.from(transaction({ payer: own }, transfer(own), transfer(other.publicKey)), 'hex'),
  );
  signed.sign([other]);
  assert.throws(
    () => read(Buffer.from(signed.serialize()).toString('hex')),
    refusal(/no blockhash, and the transaction already has other signatures/),
  );
});
