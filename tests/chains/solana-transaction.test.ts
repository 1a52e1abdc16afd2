import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import {
  PublicKey,
  SystemInstruction,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { ApiError } from '../../src/base/errors.ts';
import type { TransactionSigner } from '../../src/chains/shared/transaction.ts';
import { solanaTransaction } from '../../src/chains/solana/transaction.ts';
import { asBuffer } from '../../src/crypto/buffers.ts';
import { rounds } from '../support/full.ts';
import { assertTexts } from '../support/policy-texts.ts';
import { seeded } from '../support/seeded.ts';
import { base58Of, key, mutated, pick, someBytes, someTransaction, write } from './solana-cases.ts';

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const LOOKUP = 'ADDRESS_TABLE_LOOKUP';

type Reference = { address_table_key: string; index: bigint; writable: boolean };
type Lookup = { address_table_key: string; writable_indexes: bigint[]; readonly_indexes: bigint[] } & Partial<Reference>;
type View = {
  account_keys: string[];
  program_keys: string[];
  instructions: {
    program_key: string;
    accounts: { account_key: string; signer: boolean; writable: boolean }[];
    instruction_data_hex: string;
    address_table_lookups: Lookup[];
    address_table_lookup_references: Reference[];
  }[];
  transfers: unknown[];
  spl_transfers: unknown[];
  recent_blockhash: string;
  address_table_lookups: Lookup[];
  address_table_lookup_references: Reference[];
};

/** The index and right of a lookup of one entry, which other lookups do not have. */
const alone = (writable: bigint[], readonly: bigint[]): Partial<Reference> => {
  const [index, ...others] = [...writable, ...readonly];
  return index === undefined || others.length > 0 ? {} : { index, writable: writable.length > 0 };
};

const signerOf = (publicKey: Uint8Array): TransactionSigner => ({ curve: 'CURVE_ED25519', publicKey: Buffer.from(publicKey) });
const parse = (bytes: Uint8Array, publicKey: Uint8Array) => solanaTransaction.parse(Buffer.from(bytes), signerOf(publicKey));
const viewOf = (bytes: Uint8Array, publicKey: Uint8Array) => parse(bytes, publicKey).view(new Map()) as unknown as View;

/** The same transfers read by web3.js, with a placeholder for each key that a lookup table holds. */
function transfersOf(instructions: readonly TransactionInstruction[], own: readonly string[]) {
  const text = (key: PublicKey) => (own.includes(key.toBase58()) ? key.toBase58() : LOOKUP);
  return instructions.flatMap((instruction) => {
    if (!instruction.programId.equals(SystemProgram.programId)) return [];
    const kind = SystemInstruction.decodeInstructionType(instruction);
    const { fromPubkey, toPubkey, lamports } =
      kind === 'Transfer' ? SystemInstruction.decodeTransfer(instruction) : SystemInstruction.decodeTransferWithSeed(instruction);
    return [{ from: text(fromPubkey), to: text(toPubkey), amount: BigInt(lamports) }];
  });
}

test('what policies see, and what is signed, is what web3.js reads from the signed bytes', () => {
  const random = seeded(1);
  const seen = { legacy: 0, version0: 0, lookups: 0, transfers: 0, several: 0 };
  for (let i = 0; i < 300; i++) {
    const made = someTransaction(random);
    if (made === undefined) continue;
    const { bytes, secrets, tables } = made;
    const unsigned = VersionedTransaction.deserialize(bytes);
    const required = unsigned.message.staticAccountKeys.slice(0, unsigned.message.header.numRequiredSignatures);
    const secret = pick(
      random,
      secrets.filter((each) => required.some((key) => key.equals(new PublicKey(ed25519.getPublicKey(each))))),
    );
    const publicKey = ed25519.getPublicKey(secret);
    const slot = required.findIndex((key) => key.equals(new PublicKey(publicKey)));
    for (let j = 0; j < required.length; j++) someBytes(random, 64).copy(bytes, 1 + 64 * j);

    const ours = parse(bytes, publicKey);
    assert.equal(ours.toSign.length, 1);
    const { message: toSign } = ours.toSign[0] as { message: Uint8Array };
    const signature = Buffer.from(ed25519.sign(toSign, secret));
    const signed = ours.attach([{ r: signature.subarray(0, 32), s: signature.subarray(32), v: 0 }]);

    const theirs = VersionedTransaction.deserialize(signed);
    const { message } = theirs;
    assert.deepEqual(Buffer.from(message.serialize()), toSign);
    assert.ok(ed25519.verify(theirs.signatures[slot]!, message.serialize(), publicKey));
    const expected = Buffer.from(bytes);
    signature.copy(expected, 1 + 64 * slot);
    assert.deepEqual(asBuffer(signed), expected);
    if (required.length === 1 && message.version === 'legacy') assert.ok(Transaction.from(signed).verifySignatures());

    const view = ours.view(new Map()) as unknown as View;
    assertTexts('solana.tx', view);
    const own = message.staticAccountKeys.map((key) => key.toBase58());
    assert.deepEqual(view.account_keys, own);
    assert.equal(view.recent_blockhash, message.recentBlockhash);
    const lookups = message.addressTableLookups.map(({ accountKey, writableIndexes, readonlyIndexes }) => ({
      address_table_key: accountKey.toBase58(),
      writable_indexes: writableIndexes.map(BigInt),
      readonly_indexes: readonlyIndexes.map(BigInt),
      ...alone(writableIndexes.map(BigInt), readonlyIndexes.map(BigInt)),
    }));
    assert.deepEqual(view.address_table_lookups, lookups);
    const references = (writable: boolean) =>
      lookups.flatMap(({ address_table_key, writable_indexes, readonly_indexes }) =>
        (writable ? writable_indexes : readonly_indexes).map((index) => ({ address_table_key, index, writable })),
      );
    assert.deepEqual(view.address_table_lookup_references, [...references(true), ...references(false)]);
    const programs = message.compiledInstructions.map(({ programIdIndex }) => own[programIdIndex]);
    assert.deepEqual(view.program_keys, [...new Set(programs)]);
    assert.deepEqual(ours.contracts, view.program_keys);
    assert.deepEqual(
      view.instructions.map(({ program_key, accounts, instruction_data_hex }) => ({
        program_key,
        accounts,
        instruction_data_hex,
      })),
      message.compiledInstructions.map(({ accountKeyIndexes, data }, j) => ({
        program_key: programs[j],
        accounts: accountKeyIndexes.map((index) => ({
          account_key: own[index] ?? LOOKUP,
          signer: message.isAccountSigner(index),
          writable: message.isAccountWritable(index),
        })),
        instruction_data_hex: Buffer.from(data).toString('hex'),
      })),
    );
    const { instructions } = TransactionMessage.decompile(message, { addressLookupTableAccounts: tables });
    assert.deepEqual(view.transfers, transfersOf(instructions, own));
    assert.deepEqual(view.spl_transfers, []);
    instructions.forEach(({ keys }, j) => {
      const { accounts, address_table_lookups: used, address_table_lookup_references: references } = view.instructions[j]!;
      const loaded = (writable: boolean) =>
        used.flatMap(({ address_table_key, writable_indexes, readonly_indexes }) => {
          const table = tables.find(({ key }) => key.toBase58() === address_table_key)!;
          return (writable ? writable_indexes : readonly_indexes).map((index) =>
            table.state.addresses[Number(index)]!.toBase58(),
          );
        });
      for (const writable of [true, false]) {
        const hidden = keys.filter((_, k) => accounts[k]!.account_key === LOOKUP && accounts[k]!.writable === writable);
        assert.deepEqual(new Set(loaded(writable)), new Set(hidden.map(({ pubkey }) => pubkey.toBase58())));
        assert.equal(references.filter((each) => each.writable === writable).length, loaded(writable).length);
      }
      if (used.length > 0) seen.lookups++;
    });
    seen[message.version === 'legacy' ? 'legacy' : 'version0']++;
    if (view.transfers.length > 0) seen.transfers++;
    if (required.length > 1) seen.several++;
  }
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 50, `${what}: ${count}`);
});

const withLookup = { version: [0x80], lookups: [{ key: key(7), writable: [4], readonly: [5, 6] }] };
const call = (program: number, accounts: number[], data = Buffer.alloc(0)) => ({ instructions: [{ program, accounts, data }] });

function refusal(bytes: Uint8Array, signer: TransactionSigner): string {
  try {
    solanaTransaction.parse(Buffer.from(bytes), signer);
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'INVALID_TRANSACTION', String(error));
    return error.message;
  }
  return 'accepted';
}

test('refusals, one by one', () => {
  const own = signerOf(key(1));
  for (const fine of [write(), write(withLookup), write({ instructions: [] }), write({ ...withLookup, ...call(2, [3, 4, 5]) })]) {
    assert.equal(refusal(fine, own), 'accepted');
  }
  const message = (bytes: Buffer) => bytes.subarray(65);
  const cases: [string, Buffer, RegExp][] = [
    ['nothing', Buffer.alloc(0), /number of signatures/],
    ['too long', write(call(2, [], Buffer.alloc(1100))), /longer than 1232/],
    ['a byte more', write({ end: [0] }), /1 bytes follow/],
    ['a lookup list on a legacy message', Buffer.concat([write(), Buffer.of(0)]), /1 bytes follow/],
    ['no lookup list on version 0', write({ version: [0x80] }).subarray(0, -1), /cut off/],
    ['cut off', write().subarray(0, -1), /cut off/],
    ['cut off in the slots', write().subarray(0, 60), /too short/],
    ['no message', write().subarray(0, 65), /missing/],
    ['a long count of signatures', write({ slots: [0x81, 0] }), /shortest form/],
    ['a count of signatures of four bytes', write({ slots: [0x81, 0x80, 0x80, 0] }), /number of signatures/],
    ['a count of signatures beyond 65535', write({ slots: [0xff, 0xff, 0x7f] }), /number of signatures/],
    ['a long count of keys', write({ keyCount: [0x83, 0] }), /shortest form/],
    ['a legacy message alone', message(write()), /only a message/],
    ['a version 0 message alone', message(write(withLookup)), /only a message/],
    ['version 1', write({ version: [0x81] }), /version 1 is not supported/],
    ['an off-chain message', write({ version: [0xff] }), /version 127/],
    ['fewer slots than signers', Buffer.concat([Buffer.of(1), write({ header: [2, 0, 1] }).subarray(65)]), /1 signature slots/],
    ['more slots than signers', Buffer.concat([Buffer.of(2), Buffer.alloc(64), write().subarray(1)]), /2 signature slots/],
    ['no signer', write({ header: [0, 0, 1] }), /no writable signer/],
    ['no writable signer', write({ header: [1, 1, 0] }), /no writable signer/],
    ['more signers than keys', write({ header: [4, 0, 0] }), /more keys than there are/],
    ['more keys without a signature than there are', write({ header: [1, 0, 3] }), /more keys than there are/],
    ['no keys', write({ keys: [], header: [1, 0, 0] }), /more keys than there are/],
    ['a key twice', write({ keys: [key(1), key(2), key(2)] }), /occurs twice/],
    ['an account that is not there', write(call(2, [3])), /no account 3/],
    ['an account behind the lookups', write({ ...withLookup, ...call(2, [6]) }), /no account 6/],
    ['a program that is not there', write(call(3, [])), /account 3, which does not exist/],
    ['a program from a lookup table', write({ ...withLookup, ...call(3, []) }), /from a lookup table/],
    ['the fee payer as a program', write(call(0, [])), /fee payer/],
    ['an empty lookup', write({ ...withLookup, lookups: [{ key: key(7), writable: [], readonly: [] }] }), /none of its entries/],
    [
      'more than 256 accounts',
      write({ ...withLookup, lookups: [{ key: key(7), writable: Array(200).fill(1), readonly: Array(54).fill(2) }] }),
      /more than 256 accounts/,
    ],
  ];
  for (const [what, bytes, why] of cases) assert.match(refusal(bytes, own), why, what);
  assert.match(refusal(write(), signerOf(key(2))), /not one of its required signers/);
  assert.match(refusal(write(), { curve: 'CURVE_SECP256K1', publicKey: Buffer.alloc(33, 2) }), /CURVE_ED25519/);
  assert.equal(refusal(write({ header: [2, 1, 1] }), signerOf(key(2))), 'accepted');
});

const keysWith = (program: string) => [...[1, 2, 3, 4, 5].map(key), Buffer.from(base58.decode(program))];
const u64 = (n: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(n);
  return bytes;
};

/** Keys 1 and 2 sign; accounts 6 and 7 are from a lookup table. */
const oneCall = (program: string, accounts: number[], data: Buffer) =>
  viewOf(
    write({
      header: [2, 0, 1],
      keys: keysWith(program),
      version: [0x80],
      lookups: [{ key: key(7), writable: [1], readonly: [2] }],
      instructions: [{ program: 5, accounts, data }],
    }),
    key(1),
  );

test('token transfers, as the programs read them', () => {
  const MAX = 2n ** 64n - 1n;
  const plain = Buffer.concat([Buffer.of(3), u64(MAX)]);
  const checked = Buffer.concat([Buffer.of(12), u64(7n), Buffer.of(6)]);
  const withFee = Buffer.concat([Buffer.of(26, 1), u64(8n), Buffer.of(6), u64(1n)]);
  const [first, second, third, fourth, fifth] = [1, 2, 3, 4, 5].map(base58Of);
  const transfer = { from: third, to: fourth, amount: MAX, owner: first, signers: [], token_mint: '' };
  const more = Buffer.of(1, 2, 3);
  const cases: [string, number[], Buffer, unknown[]][] = [
    [TOKEN, [2, 3, 0], plain, [transfer]],
    [TOKEN_2022, [2, 3, 0], Buffer.concat([plain, more]), [transfer]],
    [TOKEN, [2, 3, 4, 0, 1, 2], plain, [{ ...transfer, owner: fifth, signers: [first, second] }]],
    [TOKEN, [2, 3, 0, 1], plain, [transfer]],
    [TOKEN, [6, 7, 0], plain, [{ ...transfer, from: LOOKUP, to: LOOKUP }]],
    [TOKEN, [2, 4, 3, 0], checked, [{ ...transfer, amount: 7n, token_mint: fifth }]],
    [
      TOKEN,
      [2, 7, 3, 6, 1],
      Buffer.concat([checked, more]),
      [{ ...transfer, amount: 7n, token_mint: LOOKUP, owner: LOOKUP, signers: [second] }],
    ],
    [TOKEN_2022, [2, 4, 3, 0], withFee, [{ ...transfer, amount: 8n, token_mint: fifth }]],
    [TOKEN, [2, 4, 3, 0], withFee, []],
    [TOKEN, [2, 3, 0], plain.subarray(0, 8), []],
    [TOKEN, [2, 4, 3, 0], checked.subarray(0, 9), []],
    [TOKEN_2022, [2, 4, 3, 0], withFee.subarray(0, 18), []],
    [TOKEN_2022, [2, 4, 3, 0], Buffer.concat([Buffer.of(26, 2), withFee.subarray(2)]), []],
    [TOKEN, [2, 3], plain, []],
    [TOKEN, [2, 4, 3], checked, []],
    [TOKEN, [], Buffer.alloc(0), []],
    [base58Of(200), [2, 3, 0], plain, []],
  ];
  for (const [program, accounts, data, expected] of cases) {
    const view = oneCall(program, accounts, data);
    assert.deepEqual(view.spl_transfers, expected, data.toString('hex'));
    assert.deepEqual(view.transfers, []);
  }
});

test('transfers of the System program, as it reads them', () => {
  const system = SystemProgram.programId.toBase58();
  const transfer = Buffer.concat([Buffer.of(2, 0, 0, 0), u64(2n ** 64n - 1n)]);
  const expected = { from: base58Of(1), to: base58Of(3), amount: 2n ** 64n - 1n };
  const cases: [number[], Buffer, unknown[]][] = [
    [[0, 2], transfer, [expected]],
    [[0, 2, 3], Buffer.concat([transfer, Buffer.of(0xff)]), [expected]],
    [[0, 7], transfer, [{ ...expected, to: LOOKUP }]],
    [[0, 2], transfer.subarray(0, 11), []],
    [[0], transfer, []],
    [[0, 2], Buffer.concat([Buffer.of(2, 0, 0, 1), transfer.subarray(4)]), []],
  ];
  for (const [accounts, data, wanted] of cases) assert.deepEqual(oneCall(system, accounts, data).transfers, wanted);
  assert.deepEqual(oneCall(base58Of(200), [0, 2], transfer).transfers, []);
});

test('an instruction names the lookups that it uses, and no others', () => {
  const view = viewOf(
    write({
      version: [0x80],
      lookups: [
        { key: key(7), writable: [10, 11], readonly: [12] },
        { key: key(8), writable: [20], readonly: [21, 22] },
      ],
      instructions: [
        { program: 2, accounts: [8, 4, 0, 8], data: Buffer.alloc(0) },
        { program: 1, accounts: [0], data: Buffer.alloc(0) },
      ],
    }),
    key(1),
  );
  const lookup = (n: number, writable: bigint[], readonly: bigint[]) => ({
    address_table_key: base58Of(n),
    writable_indexes: writable,
    readonly_indexes: readonly,
    ...alone(writable, readonly),
  });
  const reference = (n: number, index: bigint, writable: boolean) => ({ address_table_key: base58Of(n), index, writable });
  assert.deepEqual(view.instructions[0]!.address_table_lookups, [lookup(7, [11n], []), lookup(8, [], [22n])]);
  assert.deepEqual(view.instructions[0]!.address_table_lookup_references, [reference(7, 11n, true), reference(8, 22n, false)]);
  assert.deepEqual(view.address_table_lookups, [lookup(7, [10n, 11n], [12n]), lookup(8, [20n], [21n, 22n])]);
  assert.deepEqual(view.address_table_lookup_references, [
    ...[reference(7, 10n, true), reference(7, 11n, true), reference(8, 20n, true)],
    ...[reference(7, 12n, false), reference(8, 21n, false), reference(8, 22n, false)],
  ]);
  assert.ok(!('index' in view.address_table_lookups[0]!), 'three entries have no one index');
  assert.deepEqual(view.instructions[1]!.address_table_lookups, []);
  assert.deepEqual(view.program_keys, [base58Of(3), base58Of(2)]);
  assert.deepEqual(
    view.instructions[0]!.accounts.map(({ writable }) => writable),
    [false, true, true, false],
  );
});

test('mutated and random bytes are refused, or are a transaction that web3.js writes in the same way', () => {
  const random = seeded(2);
  const own = signerOf(key(1));
  const bases = [write(), write(withLookup), write({ header: [2, 1, 1] }), oneCallBytes()];
  let accepted = 0;
  for (let i = 0; i < rounds(10_000); i++) {
    const bytes = i % 10 === 0 ? someBytes(random, random(300)) : mutated(random, pick(random, bases));
    if (refusal(bytes, own) !== 'accepted') continue;
    accepted++;
    const ours = solanaTransaction.parse(bytes, own);
    const { message } = ours.toSign[0] as { message: Uint8Array };
    const theirs = VersionedTransaction.deserialize(bytes);
    assert.deepEqual(Buffer.from(theirs.message.serialize()), message);
    assert.deepEqual(Buffer.from(theirs.serialize()), bytes);
    const view = ours.view(new Map()) as unknown as View;
    assert.deepEqual(
      view.instructions.map((each) => each.instruction_data_hex),
      theirs.message.compiledInstructions.map(({ data }) => Buffer.from(data).toString('hex')),
    );
  }
  assert.ok(accepted > rounds(300), `${accepted}`);
});

const oneCallBytes = () => write({ keys: keysWith(TOKEN), header: [1, 0, 2], ...call(5, [1, 2, 0], Buffer.of(3, ...u64(1n))) });
