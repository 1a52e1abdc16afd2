import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/base/errors.ts';
import { readPsbt, writePsbt } from '../../src/chains/bitcoin/psbt.ts';
import { bitcoinTransaction } from '../../src/chains/bitcoin/transaction.ts';
import type { TransactionSigner } from '../../src/chains/shared/transaction.ts';
import { asBuffer } from '../../src/crypto/buffers.ts';
import { sha256 } from '../../src/crypto/hash.ts';
import { rounds } from '../support/full.ts';
import { seeded } from '../support/seeded.ts';
import {
  bitcoin,
  build,
  bytesOf,
  COIN,
  digestsOf,
  edit,
  type InputSpec,
  insert,
  mine,
  other,
  payment,
  refused,
  type SpendableName,
  signaturesOf,
  signer,
  spendables,
  type Utxo,
  unsignedOf,
  withUnsigned,
} from './bitcoin-psbts.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const psbtOf = (...inputs: InputSpec[]) => bytesOf(build({ inputs, outputs: [payment] }));
const byId = signer(mine);
const byTaproot = signer(mine, 'P2TR');

type View = { inputs: { amount_proven: boolean }[]; fee: bigint };
function viewOf(bytes: Buffer, by: TransactionSigner): View {
  return bitcoinTransaction.parse(bytes, by).view(new Map()) as unknown as View;
}
const provenOf = (bytes: Buffer, by: TransactionSigner) => viewOf(bytes, by).inputs.map((input) => input.amount_proven);

const segwit = [
  ['p2wpkh', 'P2WPKH'],
  ['p2wshKey', 'P2WSH'],
  ['p2tr', 'P2TR'],
] as const;

/** A PSBT with one input that spends an output of `previous`; `pairs` is all that it says about that output. */
function spendingOf(
  previous: bitcoin.Transaction,
  index: number,
  name: SpendableName,
  pairs: Record<string, Uint8Array>,
): Buffer {
  const base = psbtOf({ name, of: mine, value: 2n * COIN });
  const unsigned = unsignedOf(base);
  unsigned.ins[0]!.hash = previous.getHash();
  unsigned.ins[0]!.index = index;
  return edit(withUnsigned(base, unsigned.toBuffer()), 0, { '01': undefined, ...pairs });
}

function previousWith(script: Uint8Array, witness: boolean): bitcoin.Transaction {
  const previous = new bitcoin.Transaction();
  previous.addInput(Buffer.alloc(32, 1), 0);
  previous.addOutput(Buffer.of(0x6a), 0n);
  previous.addOutput(script, 2n * COIN);
  if (witness) previous.setWitness(0, [Buffer.alloc(71, 7), Buffer.alloc(33, 2)]);
  return previous;
}

const utxo = (script: Uint8Array, value: bigint) => {
  const amount = Buffer.alloc(8);
  amount.writeBigUInt64LE(value);
  return Buffer.concat([amount, Buffer.of(script.length), script]);
};

for (const [name, kind] of segwit) {
  const by = signer(mine, kind);
  const { output } = spendables[name](mine);

  test(`${kind}: the previous transaction beside witness_utxo, or alone, is taken and checked`, () => {
    const claim = utxo(output, 2n * COIN);
    for (const witness of [false, true]) {
      const previous = previousWith(output, witness);
      assert.equal(previous.hasWitnesses(), witness);
      const claimed = spendingOf(previous, 1, name, { '01': claim });
      const wanted = digestsOf(bitcoinTransaction.parse(claimed, by));
      const rows: Record<string, Uint8Array>[] = [{}, { '01': claim }];
      for (const beside of rows) {
        const bytes = spendingOf(previous, 1, name, { '00': previous.toBuffer(), ...beside });
        const parsed = bitcoinTransaction.parse(bytes, by);
        assert.deepEqual(digestsOf(parsed), wanted);
        assert.deepEqual(provenOf(bytes, by), [true]);
        assert.equal(viewOf(bytes, by).fee, COIN);
        const [before, after] = [bytes, parsed.attach(signaturesOf(parsed, mine, kind === 'P2TR'))].map((each) =>
          readPsbt(asBuffer(each)),
        );
        for (const [pair, value] of before!.inputs[0]!) assert.deepEqual(after!.inputs[0]!.get(pair), value);
        assert.equal(after!.inputs[0]!.size, before!.inputs[0]!.size + 1);
      }
    }
  });

  test(`${kind}: what the previous transaction does not bear out is refused, and the input named`, () => {
    const previous = previousWith(output, true);
    const both = (script: Uint8Array, value: bigint) =>
      spendingOf(previous, 1, name, { '00': previous.toBuffer(), '01': utxo(script, value) });
    refused(both(output, 2n * COIN - 1n), by, /non_witness_utxo and witness_utxo of input 0 differ: the amount/);
    refused(both(output, 2n * COIN + 1n), by, /non_witness_utxo and witness_utxo of input 0 differ: the amount/);
    refused(
      both(spendables[name](other).output, 2n * COIN),
      by,
      /non_witness_utxo and witness_utxo of input 0 differ: the script/,
    );
    const beyond = spendingOf(previous, 2, name, { '00': previous.toBuffer() });
    refused(beyond, by, /non_witness_utxo of input 0 has no output 2/);
    const last = spendingOf(previous, 0xffff_ffff, name, { '00': previous.toBuffer() });
    refused(last, by, /non_witness_utxo of input 0 has no output 4294967295/);
    const another = previousWith(output, true);
    another.locktime = 1;
    refused(
      spendingOf(previous, 1, name, { '00': another.toBuffer() }),
      by,
      /non_witness_utxo of input 0 is not the transaction that it spends: its txid differs/,
    );
    // The hash that the input names must be of the transaction without its witnesses.
    const wtxid = spendingOf(previous, 1, name, { '00': previous.toBuffer() });
    const unsigned = unsignedOf(wtxid);
    unsigned.ins[0]!.hash = previous.getHash(true);
    refused(withUnsigned(wtxid, unsigned.toBuffer()), by, /of input 0 is not the transaction that it spends/);
    // The output belongs to another key.
    const foreign = previousWith(spendables[name](other).output, true);
    const why = kind === 'P2WSH' ? /witness_script of input 0 does not match the output/ : /none of its inputs/;
    refused(spendingOf(foreign, 1, name, { '00': foreign.toBuffer() }), by, why);
  });
}

test('the input that is at fault is named, also where it is another one', () => {
  const bytes = psbtOf({ name: 'p2wpkh', of: mine, value: 2n * COIN }, { name: 'p2wpkh', of: other, value: 5n, utxo: 'both' });
  assert.deepEqual(provenOf(bytes, byId), [false, true]);
  refused(edit(bytes, 1, { '01': utxo(spendables.p2wpkh(other).output, 6n) }), byId, /of input 1 differ: the amount/);
  refused(
    edit(bytes, 1, { '00': readPsbt(psbtOf({ name: 'p2pkh', of: mine, value: 1n })).inputs[0]!.get('00')! }),
    byId,
    /input 1/,
  );
});

test('BIP-174: a legacy input has no witness_utxo', () => {
  const bytes = psbtOf({ name: 'p2pkh', of: mine, value: 2n * COIN });
  refused(
    edit(bytes, 0, { '01': utxo(spendables.p2pkh(mine).output, 2n * COIN) }),
    byId,
    /input 0 \(P2PKH\) must have non_witness/,
  );
});

const claim = (name: SpendableName, of = mine): InputSpec => ({ name, of, value: 2n * COIN });
const previous = (name: SpendableName, of = mine): InputSpec => ({ ...claim(name, of), utxo: 'previous' });

test('inputs whose amounts are proven', () => {
  const rows: [string, InputSpec[], TransactionSigner, boolean[]][] = [
    ['a claim alone', [claim('p2wpkh')], byId, [false]],
    ['the previous transaction alone', [previous('p2wpkh')], byId, [true]],
    ['both', [{ ...claim('p2wpkh'), utxo: 'both' }], byId, [true]],
    ['one of two has its previous transaction', [previous('p2wpkh'), claim('p2wshKey')], byId, [true, false]],
    ['both have', [previous('p2wpkh'), { ...claim('p2wshKey'), utxo: 'both' }], byId, [true, true]],
    ['a legacy input always has', [claim('p2pkh'), claim('p2wpkh')], byId, [true, false]],
    [
      'BIP-341: all amounts',
      [claim('p2tr'), claim('p2tr'), claim('p2wpkh', other), claim('p2wpkh')],
      byTaproot,
      [true, true, true, true],
    ],
    ['a P2TR input that is not signed now', [claim('p2tr'), claim('p2wpkh')], byId, [false, false]],
    ['a P2TR input of somebody else', [claim('p2tr', other), claim('p2wpkh'), claim('p2wpkh')], byId, [false, false, false]],
  ];
  for (const [why, inputs, by, proven] of rows) assert.deepEqual(provenOf(psbtOf(...inputs), by), proven, why);
});

/** A transaction with two inputs of mine, and the amounts that a request claims for them. */
const worth = (first: bigint, second: bigint, given: Utxo = 'claim'): Buffer => {
  const bytes = psbtOf({ ...claim('p2wpkh'), utxo: given }, { ...claim('p2wpkh'), utxo: given });
  const { output } = spendables.p2wpkh(mine);
  return edit(edit(bytes, 0, { '01': utxo(output, first) }), 1, { '01': utxo(output, second) });
};

test('two requests that each lie about another input: signatures that hold, a fee neither showed, and not proven', () => {
  const [low, real] = [COIN / 2n + 1n, 2n * COIN];
  const requests = [worth(real, low), worth(low, real)];
  const signatures = requests.map((bytes, i) => {
    assert.equal(viewOf(bytes, byId).fee, real + low - COIN);
    assert.ok(provenOf(bytes, byId).includes(false), 'inputs.all(i, i.amount_proven) refuses it');
    return digestsOf(bitcoinTransaction.parse(bytes, byId))[i];
  });
  // Both signatures are valid for the real transaction, whose fee is different: so the check is needed.
  assert.deepEqual(signatures, digestsOf(bitcoinTransaction.parse(worth(real, real), byId)));
  assert.equal(viewOf(worth(real, real), byId).fee, 2n * real - COIN);
  // With the previous transactions the lie is refused.
  refused(worth(real, low, 'both'), byId, /input 1 differ: the amount/);
  assert.deepEqual(provenOf(worth(real, real, 'both'), byId), [true, true]);
});

test('BIP-341: a signature over a false claim for another input holds in no transaction', () => {
  const digestOf = (value: bigint) => {
    const bytes = psbtOf(claim('p2tr'), claim('p2wpkh', other));
    return digestsOf(
      bitcoinTransaction.parse(edit(bytes, 1, { '01': utxo(spendables.p2wpkh(other).output, value) }), byTaproot),
    )[0];
  };
  assert.notDeepEqual(digestOf(5n), digestOf(6n));
});

test('a previous transaction as large as the PSBT may be: its outputs and witnesses are walked, not kept', () => {
  const many = new bitcoin.Transaction();
  many.addInput(Buffer.alloc(32, 1), 0);
  for (let i = 0; i < 50_000; i++) many.addOutput(Buffer.alloc(0), 0n);
  many.addOutput(spendables.p2wpkh(mine).output, 2n * COIN);
  assert.deepEqual(provenOf(spendingOf(many, 50_000, 'p2wpkh', { '00': many.toBuffer() }), byId), [true]);
  const witnesses = previousWith(spendables.p2wpkh(mine).output, false);
  witnesses.setWitness(
    0,
    Array.from({ length: 500_000 }, () => Buffer.alloc(0)),
  );
  assert.deepEqual(provenOf(spendingOf(witnesses, 1, 'p2wpkh', { '00': witnesses.toBuffer() }), byId), [true]);
});

test('counts that promise more than there is are refused at once', () => {
  const previous = previousWith(spendables.p2wpkh(mine).output, true);
  const bytes = Buffer.from(previous.toBuffer());
  const given = (changed: Buffer) => spendingOf(previous, 1, 'p2wpkh', { '00': changed });
  for (const count of ['fdffff', 'feffffff7f', 'ffffffffffffffffff']) {
    const inputs = Buffer.concat([bytes.subarray(0, 6), hex(count), bytes.subarray(7)]);
    refused(given(inputs), byId, /non_witness_utxo of input 0 ends too early/);
    const outputs = Buffer.concat([bytes.subarray(0, 48), hex(count), bytes.subarray(49)]);
    refused(given(outputs), byId, /non_witness_utxo of input 0 ends too early/);
  }
  for (const length of [0, 3, 4, 6, 40, bytes.length - 1]) refused(given(bytes.subarray(0, length)), byId, /ends too early/);
  refused(given(Buffer.concat([bytes, hex('00')])), byId, /has bytes after its end/);
});

test('whatever previous transaction comes: what bitcoinjs-lib reads from it, or INVALID_TRANSACTION', () => {
  const next = seeded(20_250_114);
  const { output } = spendables.p2wpkh(mine);
  const bases = [false, true].map((witness) => Buffer.from(previousWith(output, witness).toBuffer()));
  const counts = { read: 0, refused: 0 };
  const hash256 = (bytes: Uint8Array) => sha256(sha256(bytes));
  for (let i = 0; i < rounds(6000); i++) {
    let bytes: Buffer = Buffer.from(bases[next(2)]!);
    for (let k = next(3); k > 0 && bytes.length > 5; k--) {
      const at = next(bytes.length);
      const how = next(4);
      if (how === 0) bytes[at] = next(256);
      else if (how === 1) bytes = bytes.subarray(0, at);
      else if (how === 2) bytes = insert(bytes, ['00', 'ff', 'fdffff', 'feffffffff', '0001'][next(5)]!, at);
      else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + next(20))]);
    }
    let read: bitcoin.Transaction | undefined;
    try {
      read = bitcoin.Transaction.fromBuffer(bytes);
    } catch {
      // Not a transaction: it gets a txid that no transaction has.
    }
    const psbt = spendingOf(previousWith(output, false), next(3), 'p2wpkh', { '00': bytes });
    const unsigned = unsignedOf(psbt);
    unsigned.ins[0]!.hash = read ? read.getHash() : hash256(bytes);
    const named = withUnsigned(psbt, unsigned.toBuffer());
    try {
      const view = viewOf(named, byId);
      const spent = read!.outs[unsigned.ins[0]!.index]!;
      assert.equal(view.fee, spent.value - COIN);
      assert.deepEqual(Buffer.from(spent.script), Buffer.from(output));
      assert.deepEqual(view.inputs[0]!.amount_proven, true);
      counts.read++;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'INVALID_TRANSACTION')) throw error;
      assert.ok(error.message.length < 200);
      counts.refused++;
    }
  }
  assert.ok(counts.read > rounds(300) && counts.refused > rounds(1000), JSON.stringify(counts));
});

test('one previous transaction of which several outputs are spent', () => {
  const shared = new bitcoin.Transaction();
  shared.addInput(Buffer.alloc(32, 1), 0);
  for (let i = 0; i < 12; i++) shared.addOutput(spendables.p2wpkh(mine).output, COIN);
  const unsigned = new bitcoin.Transaction();
  for (let i = 0; i < 12; i++) unsigned.addInput(shared.getHash(), i);
  unsigned.addOutput(payment.script, COIN);
  const previousBytes = Buffer.from(shared.toBuffer());
  const bytes = writePsbt({
    global: new Map([['00', Buffer.from(unsigned.toBuffer())]]),
    inputs: unsigned.ins.map(() => new Map([['00', previousBytes]])),
    outputs: [new Map()],
    transaction: undefined as never,
  });
  assert.deepEqual(new Set(provenOf(asBuffer(bytes), byId)), new Set([true]));
  assert.equal(viewOf(asBuffer(bytes), byId).fee, 11n * COIN);
});
