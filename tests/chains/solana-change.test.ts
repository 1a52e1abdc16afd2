import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ComputeBudgetProgram,
  type MessageV0,
  NonceAccount,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  type VersionedMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { withBlockhash, withFeePayer, withInstructions } from '../../src/chains/solana/change.ts';
import { readMessage } from '../../src/chains/solana/message.ts';
import {
  budgetInstructions,
  budgetOf,
  COMPUTE_BUDGET,
  countsInstructions,
  createsAccount,
  durableNonce,
  greatestFee,
  writableKeys,
} from '../../src/chains/solana/programs.ts';
import { readTransaction, unsigned, writeMessage } from '../../src/chains/solana/wire.ts';
import { seeded } from '../support/seeded.ts';
import { key, type Random, someBytes, someKey, someTransaction } from './solana-cases.ts';

type Case = NonNullable<ReturnType<typeof someTransaction>>;

function* cases(random: Random): Generator<Case> {
  for (let i = 0; i < 300; i++) {
    const made = someTransaction(random);
    if (made !== undefined) yield made;
  }
}

const read = (bytes: Uint8Array) => readTransaction(Buffer.from(bytes)).message;
const theirs = (bytes: Uint8Array) => VersionedTransaction.deserialize(bytes).message;
const plain = ({ programId, keys, data }: TransactionInstruction) => ({
  program: programId.toBase58(),
  data: data.toString('hex'),
  accounts: keys.map(({ pubkey, isSigner, isWritable }) => [pubkey.toBase58(), isSigner, isWritable]),
});
const decompiled = (message: VersionedMessage, { tables }: Case) =>
  TransactionMessage.decompile(message, { addressLookupTableAccounts: tables });
const rightsOf = (message: VersionedMessage) =>
  new Map(
    message.staticAccountKeys.map((key, i) => [key.toBase58(), [message.isAccountSigner(i), message.isAccountWritable(i)]]),
  );

test('a message that is read and written is the same', () => {
  for (const { bytes } of cases(seeded(11))) {
    assert.deepEqual(Buffer.from(unsigned(read(bytes))), bytes);
    assert.deepEqual(Buffer.from(writeMessage(read(bytes))), Buffer.from(theirs(bytes).serialize()));
  }
});

test('with another blockhash, web3.js reads the same transaction with that blockhash', () => {
  const random = seeded(12);
  for (const { bytes } of cases(random)) {
    const blockhash = someKey(random);
    const expected = VersionedTransaction.deserialize(bytes);
    expected.message.recentBlockhash = blockhash.toBase58();
    const changed = unsigned(withBlockhash(read(bytes), blockhash.toBytes()));
    assert.deepEqual(Buffer.from(changed), Buffer.from(expected.serialize()));
  }
});

test('with another fee payer, web3.js reads the same instructions and rights, and one signer more', () => {
  const random = seeded(13);
  for (const made of cases(random)) {
    const payer = someKey(random);
    const before = theirs(made.bytes);
    const after = theirs(unsigned(withFeePayer(read(made.bytes), payer.toBytes())));
    assert.equal(after.version, before.version);
    assert.deepEqual([...rightsOf(after)], [[payer.toBase58(), [true, true]], ...rightsOf(before)]);
    const [were, are] = [decompiled(before, made), decompiled(after, made)];
    assert.equal(are.payerKey.toBase58(), payer.toBase58());
    assert.deepEqual(are.instructions.map(plain), were.instructions.map(plain));
  }
});

const bare = (data: Uint8Array) => ({ accounts: new Uint8Array(), data });

test('with instructions added anywhere, web3.js reads the others unchanged', () => {
  const random = seeded(14);
  let lookups = 0;
  for (const made of cases(random)) {
    const before = theirs(made.bytes);
    const at = random(before.compiledInstructions.length + 1);
    const data = [someBytes(random, 5), someBytes(random, 9)];
    const after = theirs(unsigned(withInstructions(read(made.bytes), COMPUTE_BUDGET, data.map(bare), at)));
    assert.equal(after.version, before.version);
    assert.deepEqual([...rightsOf(after)], [...rightsOf(before), [ComputeBudgetProgram.programId.toBase58(), [false, false]]]);
    const [were, are] = [decompiled(before, made).instructions.map(plain), decompiled(after, made).instructions.map(plain)];
    const added = are.splice(at, 2);
    assert.deepEqual(are, were);
    assert.deepEqual(
      added,
      data.map((each) => ({ program: ComputeBudgetProgram.programId.toBase58(), data: each.toString('hex'), accounts: [] })),
    );
    if (before.version === 0 && (before as MessageV0).addressTableLookups.length > 0) lookups++;
  }
  assert.ok(lookups > 30, String(lookups));
});

const KEY = new PublicKey(key(1));
const OTHER = new PublicKey(key(2));

const compiled = (...instructions: TransactionInstruction[]) =>
  readMessage(
    new TransactionMessage({ payerKey: KEY, recentBlockhash: OTHER.toBase58(), instructions }).compileToV0Message().serialize(),
  );
const transfer = SystemProgram.transfer({ fromPubkey: KEY, toPubkey: OTHER, lamports: 1 });

test('the compute budget is read and written as web3.js does', () => {
  const made = compiled(
    ComputeBudgetProgram.setComputeUnitLimit({ units: 4_000_000_000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2n ** 63n }),
    transfer,
  );
  assert.deepEqual(budgetOf(made), { limit: 4_000_000_000n, price: 2n ** 63n });
  assert.deepEqual(budgetOf(compiled(transfer)), { limit: undefined, price: undefined });
  assert.deepEqual(
    budgetInstructions({ limit: 77_000n, price: 2n ** 40n }).map(({ data }) => Buffer.from(data)),
    [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 77_000 }).data,
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2n ** 40n }).data,
    ],
  );
  // A program that the message names already is not named twice.
  const again = withInstructions(made, COMPUTE_BUDGET, budgetInstructions({ limit: 1n, price: 1n }), 0);
  assert.equal(again.keys.length, made.keys.length);
});

test('the greatest fee: signatures, those that programs of the chain check, and the price of the units', () => {
  assert.equal(greatestFee(compiled(transfer)), 5000n);
  assert.equal(greatestFee(withFeePayer(compiled(transfer), key(9))), 10_000n);
  const budget = (limit: bigint, price: bigint) =>
    greatestFee(withInstructions(compiled(transfer), COMPUTE_BUDGET, budgetInstructions({ limit, price }), 0));
  assert.equal(budget(1000n, 1n), 5001n);
  assert.equal(budget(1000n, 5000n), 5005n);
  assert.equal(budget(4_000_000_000n, 1_000_000n), 5000n + 1_400_000n);
  const priced = compiled(ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 }), transfer, transfer);
  assert.equal(greatestFee(priced), 405_000n);
  const checks = new TransactionInstruction({
    programId: new PublicKey('Ed25519SigVerify111111111111111111111111111'),
    keys: [],
    data: Buffer.of(3, 0),
  });
  assert.equal(greatestFee(compiled(checks, transfer)), 20_000n);
  assert.deepEqual([countsInstructions(compiled(checks)), countsInstructions(compiled(transfer))], [true, false]);
});

test('durable nonces and creations of accounts are known by their instructions', () => {
  const advance = SystemProgram.nonceAdvance({ noncePubkey: OTHER, authorizedPubkey: KEY });
  assert.deepEqual(durableNonce(compiled(advance, transfer)), { account: new Uint8Array(key(2)) });
  assert.equal(durableNonce(compiled(transfer, advance)), undefined);
  const create = { fromPubkey: KEY, newAccountPubkey: OTHER, lamports: 1, space: NonceAccount.length, programId: KEY };
  assert.ok(createsAccount(compiled(SystemProgram.createAccount(create))));
  assert.ok(createsAccount(compiled(transfer, SystemProgram.createAccountWithSeed({ ...create, basePubkey: KEY, seed: 'a' }))));
  assert.ok(!createsAccount(compiled(transfer, advance)));
});

test('the sponsor of a transaction is in none of its instructions', () => {
  const named = /must not use the account that sponsors it/;
  assert.throws(() => withFeePayer(compiled(transfer), OTHER.toBytes()), named);
  assert.throws(() => withFeePayer(compiled(transfer), KEY.toBytes()), named);
  // A client may have named it as who pays, and in nothing else.
  const foreign = compiled(SystemProgram.transfer({ fromPubkey: OTHER, toPubkey: new PublicKey(key(3)), lamports: 1 }));
  assert.equal(withFeePayer(foreign, KEY.toBytes()), foreign);
});

test('the accounts that a message writes to', () => {
  for (const { bytes } of cases(seeded(15))) {
    const message = theirs(bytes);
    const expected = message.staticAccountKeys.filter((_, i) => message.isAccountWritable(i)).map((each) => each.toBase58());
    assert.deepEqual(writableKeys(read(bytes)), expected);
  }
});
