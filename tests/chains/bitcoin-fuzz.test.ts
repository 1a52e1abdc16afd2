import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/base/errors.ts';
import { readPsbt, writePsbt } from '../../src/chains/bitcoin/psbt.ts';
import { bitcoinTransaction } from '../../src/chains/bitcoin/transaction.ts';
import { asBuffer } from '../../src/crypto/buffers.ts';
import { rounds } from '../support/full.ts';
import { seeded } from '../support/seeded.ts';
import {
  bitcoin,
  build,
  bytesOf,
  COIN,
  cosigner,
  digestsOf,
  ecdsaSigner,
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
  spending,
} from './bitcoin-psbts.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const byId = signer(mine);
const byTaproot = signer(mine, 'P2TR');
const p2pkh = spending('p2pkh');
const p2tr = spending('p2tr');

/** A PSBT with this many P2PKH inputs of mine, and this many outputs with scripts of this length. */
function legacy(inputs: number, outputs: number, scriptLength: number): Buffer {
  const transaction = new bitcoin.Transaction();
  const maps = Array.from({ length: inputs }, (_, i) => {
    const previous = new bitcoin.Transaction();
    previous.addInput(Buffer.alloc(32, 1), i);
    previous.addOutput(spendables.p2pkh(mine).output, 1n);
    transaction.addInput(previous.getHash(), 0);
    return new Map([['00', Buffer.from(previous.toBuffer())]]);
  });
  for (let i = 0; i < outputs; i++) transaction.addOutput(Buffer.alloc(scriptLength, 0x6a), 0n);
  const global = new Map([['00', Buffer.from(transaction.toBuffer())]]);
  return asBuffer(
    writePsbt({ ...readPsbt(p2pkh), global, inputs: maps, outputs: Array.from({ length: outputs }, () => new Map()) }),
  );
}

test('what the legacy hash goes over is bounded', () => {
  const most = bitcoinTransaction.parse(legacy(1000, 1, 25), byId);
  assert.equal(most.toSign.length, 1000);
  const unsigned = bitcoin.Transaction.fromBuffer(readPsbt(legacy(1000, 1, 25)).global.get('00')!);
  assert.deepEqual(digestsOf(most)[999], Buffer.from(unsigned.hashForSignature(999, spendables.p2pkh(mine).output, 1)));
  refused(legacy(1000, 2500, 30), byId, /the transaction has too many legacy inputs for its size: split it/);
});

test('whatever bytes come: a result that holds, or INVALID_TRANSACTION', () => {
  const next = seeded(20_240_607);
  const signed = build({
    inputs: (Object.keys(spendables) as SpendableName[]).flatMap((name): InputSpec[] => [
      { name, of: mine, value: COIN },
      { name, of: other, value: COIN, utxo: 'both' },
    ]),
    outputs: [payment, { script: hex('6a00'), value: 0n }],
  });
  signed.signInput(2, ecdsaSigner(cosigner));
  const bases = [spending('p2wpkh'), p2pkh, spending('p2shMultisig'), spending('p2wshMultisig'), p2tr, bytesOf(signed)];
  const mutations = [
    (bytes: Buffer) => {
      bytes[next(bytes.length)] = next(256);
      return bytes;
    },
    (bytes: Buffer) => {
      bytes[next(bytes.length)]! ^= 1 << next(8);
      return bytes;
    },
    (bytes: Buffer) => bytes.subarray(0, next(bytes.length)),
    (bytes: Buffer) => {
      const at = next(bytes.length);
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + next(40))]);
    },
    (bytes: Buffer) => {
      const from = next(bytes.length);
      return insert(bytes, bytes.toString('hex', from, from + next(60)), 5 + next(bytes.length - 5));
    },
    (bytes: Buffer) => insert(bytes, ['00', 'ff', '01f000', 'fdffff', 'feffffffff'][next(5)]!, 5 + next(bytes.length - 5)),
  ];
  const counts = { read: 0, refused: 0 };
  for (let i = 0; i < rounds(6000); i++) {
    const base = bases[next(bases.length)]!;
    let bytes: Buffer = Buffer.from(base);
    for (let k = next(3); k >= 0 && bytes.length > 5; k--) bytes = mutations[next(mutations.length)]!(bytes);
    const schnorr = base === p2tr;
    try {
      const parsed = bitcoinTransaction.parse(bytes, schnorr ? byTaproot : byId);
      parsed.view(new Map());
      const unsigned = readPsbt(bytes).global.get('00')!;
      assert.deepEqual(Buffer.from(bitcoin.Transaction.fromBuffer(unsigned).toBuffer()), unsigned);
      const after = bitcoinTransaction.parse(parsed.attach(signaturesOf(parsed, mine, schnorr)), schnorr ? byTaproot : byId);
      assert.deepEqual(after.toSign, parsed.toSign);
      counts.read++;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'INVALID_TRANSACTION')) throw error;
      assert.ok(error.message.length < 200);
      counts.refused++;
    }
  }
  assert.ok(counts.read > rounds(300) && counts.refused > rounds(1000), JSON.stringify(counts));
  for (let i = 0; i < rounds(2000); i++) {
    const random = Buffer.from(Array.from({ length: next(200) }, () => next(256)));
    refused(i % 2 ? random : Buffer.concat([hex('70736274ff'), random]), byId, /./);
  }
});
