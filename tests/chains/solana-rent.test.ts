import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import { PublicKey, SystemProgram, type TransactionInstruction, TransactionMessage } from '@solana/web3.js';
import { withInstructions } from '../../src/chains/solana/change.ts';
import { readMessage } from '../../src/chains/solana/message.ts';
import { SYSTEM, takenFromPayer, transferFromPayer } from '../../src/chains/solana/programs.ts';
import { creationsIn, rentFor } from '../../src/chains/solana/rent.ts';
import { key } from './solana-cases.ts';

const [PAYER, USER, NEW, OTHER] = [1, 2, 3, 4].map((n) => new PublicKey(key(n))) as [PublicKey, PublicKey, PublicKey, PublicKey];
const SYSTEM_ID = SystemProgram.programId.toBase58();

const compiled = (...instructions: TransactionInstruction[]) =>
  readMessage(
    new TransactionMessage({ payerKey: PAYER, recentBlockhash: OTHER.toBase58(), instructions })
      .compileToLegacyMessage()
      .serialize(),
  );
const transfer = (from: PublicKey, to: PublicKey, lamports = 7) =>
  SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports });
const message = compiled(transfer(USER, NEW));

/** As programs call them. */
const named = ({ keys, data }: TransactionInstruction) => ({
  programId: SYSTEM_ID,
  accounts: keys.map(({ pubkey }) => pubkey.toBase58()),
  data: base58.encode(data),
  stackHeight: 2,
});
const indexOf = (pubkey: PublicKey) => message.keys.findIndex((one) => Buffer.from(one).equals(pubkey.toBuffer()));
const numbered = ({ keys, data, programId }: TransactionInstruction) => ({
  programIdIndex: indexOf(programId),
  accounts: keys.map(({ pubkey }) => indexOf(pubkey)),
  data: base58.encode(data),
});
const parsed = (type: string, info: object) => ({ program: 'system', programId: SYSTEM_ID, parsed: { type, info } });
const plain = (instructions: unknown[]) =>
  creationsIn([{ index: 0, instructions }], message).map(({ space, paid }) => [space, Object.fromEntries(paid)]);

const create = { fromPubkey: USER, newAccountPubkey: NEW, lamports: 2_039_280, space: 165, programId: OTHER };

test('an account that programs make is known in every form in which nodes tell of it', () => {
  const is = [[165n, { [USER.toBase58()]: 2_039_280n }]];
  const made = SystemProgram.createAccount(create);
  assert.deepEqual(plain([named(made)]), is);
  assert.deepEqual(plain([numbered(made)]), is);
  const info = { source: USER.toBase58(), newAccount: NEW.toBase58(), lamports: 2_039_280, space: 165, owner: OTHER.toBase58() };
  assert.deepEqual(plain([parsed('createAccount', info)]), is);
  assert.deepEqual(plain([parsed('createAccountWithSeed', { ...info, base: USER.toBase58(), seed: 'a' })]), is);
  const seeded = SystemProgram.createAccountWithSeed({ ...create, basePubkey: USER, seed: 'a long seed' });
  assert.deepEqual(plain([named(seeded)]), is);
  // With money that was there before it.
  const later = [transfer(USER, NEW, 2_039_280), SystemProgram.allocate({ accountPubkey: NEW, space: 165 })];
  assert.deepEqual(plain(later.map(named)), is);
  const allowed = SystemProgram.createAccount(create);
  allowed.data.writeUInt32LE(13, 0);
  allowed.keys.reverse();
  assert.deepEqual(plain([named(allowed)]), is);
});

test('money for accounts that there are is no rent, and what cannot be read is nothing', () => {
  assert.deepEqual(plain([named(transfer(USER, NEW)), parsed('transfer', { source: USER.toBase58() })]), []);
  assert.deepEqual(plain([{ ...named(SystemProgram.createAccount(create)), programId: OTHER.toBase58() }]), []);
  const broken = [
    null,
    1,
    {},
    { programId: SYSTEM_ID },
    { programId: SYSTEM_ID, accounts: [], data: '0OIl' },
    parsed('createAccount', []),
  ];
  assert.deepEqual(plain(broken), []);
  assert.deepEqual(plain([{ programId: SYSTEM_ID, accounts: [1, {}], data: base58.encode(Uint8Array.of(3, 0, 0, 0)) }]), []);
  for (const list of [undefined, null, {}, [null], [{ instructions: 3 }]]) assert.deepEqual(creationsIn(list, message), []);
  assert.equal(rentFor(0n), 890_880n);
  assert.equal(rentFor(165n), 2_039_280n);
});

test('the payer loses transfers to signers, and nothing else', () => {
  const from = (...instructions: TransactionInstruction[]) => takenFromPayer(compiled(...instructions));
  const signs = transfer(USER, NEW);
  assert.equal(from(signs), 0n);
  assert.equal(from(signs, transfer(PAYER, USER, 5), transfer(PAYER, USER, 6)), 11n);
  assert.equal(from(signs, transfer(PAYER, NEW)), undefined);
  assert.equal(from(signs, transfer(PAYER, PAYER)), undefined);
  assert.equal(from(signs, transfer(USER, PAYER)), undefined);
  assert.equal(from(signs, SystemProgram.assign({ accountPubkey: PAYER, programId: OTHER })), undefined);
  assert.equal(from(signs, SystemProgram.createAccount({ ...create, fromPubkey: PAYER, newAccountPubkey: USER })), undefined);
  const foreign = transfer(PAYER, USER);
  foreign.programId = OTHER;
  assert.equal(from(signs, foreign), undefined);
  assert.equal(takenFromPayer(withInstructions(compiled(signs), SYSTEM, [transferFromPayer(1, 9n)], 0)), 9n);
});
