import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPsbt, writePsbt } from '../../src/chains/bitcoin/psbt.ts';
import { bitcoinTransaction } from '../../src/chains/bitcoin/transaction.ts';
import { asBuffer } from '../../src/crypto/buffers.ts';
import {
  bitcoin,
  build,
  bytesOf,
  COIN,
  ecc,
  edit,
  insert,
  mine,
  other,
  payment,
  refused,
  signer,
  spendables,
  spending,
  withUnsigned,
} from './bitcoin-psbts.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const FEE: string = 'fee';

const p2wpkh = spending('p2wpkh');
const p2pkh = spending('p2pkh');
const p2sh = spending('p2shMultisig');
const p2wsh = spending('p2wshMultisig');
const p2tr = spending('p2tr');
const byId = signer(mine);
const byTaproot = signer(mine, 'P2TR');

const uint64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};
const utxo = (script: Uint8Array, value = 2n * COIN) => Buffer.concat([uint64(value), Buffer.of(script.length), script]);
const p2wshOf = (script: Uint8Array) => Buffer.concat([hex('0020'), bitcoin.crypto.sha256(script)]);
const pair = (bytes: Buffer, type: string, i = 0) => readPsbt(bytes).inputs[i]!.get(type)!;

/** Where the maps of inputs start. */
const inputsAt = (bytes: Buffer) =>
  bytes.indexOf(readPsbt(bytes).global.get('00')!) + readPsbt(bytes).global.get('00')!.length + 1;

test('keys that may sign an input', () => {
  const format = (name: string) => ({ ...byId, address: { text: 'x', format: name } });
  for (const name of [
    'ADDRESS_FORMAT_ETHEREUM',
    'ADDRESS_FORMAT_DOGE_MAINNET',
    'ADDRESS_FORMAT_COMPRESSED',
    'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR2',
  ]) {
    refused(p2wpkh, format(name), /by a key that is named by its id or by a Bitcoin address: P2PKH, P2SH/);
  }
  refused(p2wpkh, signer(other), /none of its inputs .* this key can sign for; for P2TR, name the key by its P2TR address/);
  refused(p2tr, byId, /for P2TR, name the key by its P2TR address/);
  const all = [p2pkh, p2sh, p2wpkh, p2wsh, p2tr];
  for (const [i, kind] of ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'].entries()) {
    for (const [k, bytes] of all.entries()) {
      if (i === k) assert.equal(bitcoinTransaction.parse(bytes, signer(mine, kind, 'REGTEST')).toSign.length, 1);
      else refused(bytes, signer(mine, kind), /none of its inputs spends an output of the kind of this address/);
    }
  }
  const uncompressed = Buffer.from(ecc.pointCompress(mine.publicKey, false));
  for (const script of [
    hex(`41${uncompressed.toString('hex')}ac`),
    spendables.p2wshKeyHash({ ...mine, publicKey: uncompressed }).script!,
  ]) {
    refused(edit(p2wsh, 0, { '01': utxo(p2wshOf(script)), '05': script }), byId, /none of its inputs/);
  }
});

test('the map of pairs', () => {
  refused(Buffer.alloc(0), byId, /send a PSBT: it starts with 70736274ff/);
  refused(hex('02000000000000'), byId, /send a PSBT/);
  refused(Buffer.concat([p2wpkh, hex('00')]), byId, /has bytes after its end/);
  for (const length of [5, 6, 60, p2wpkh.length - 1]) refused(p2wpkh.subarray(0, length), byId, /ends too early/);
  refused(Buffer.concat([p2wpkh, Buffer.alloc(512 * 1024)]), byId, /at most 524288 bytes/);
  refused(insert(p2wpkh, '01f00001f000'), byId, /the global map holds a key of type 0xf0 twice/);
  refused(insert(p2wpkh, '0103040100000001030401000000', inputsAt(p2wpkh)), byId, /input 0 holds a key of type 0x03 twice/);
  refused(insert(p2wpkh, '02f0aa0002f0aa00', p2wpkh.length - 1), byId, /output 0 holds a key of type 0xf0 twice/);
  refused(insert(p2wpkh, 'fd0100f000'), byId, /not written in the shortest form/);
  refused(insert(p2wpkh, '01f0fe0100000000'), byId, /not written in the shortest form/);
  refused(insert(p2wpkh, '03fd000000'), byId, /a key of the global map has a size that is not written in the shortest form/);
  refused(insert(p2wpkh, '01f0ffffffffffffffffff'), byId, /ends too early/);
  for (const [more, type] of [
    ['0200aa00', '00'],
    ['02fb0000', 'fb'],
    ['0201aa00', '01'],
  ]) {
    refused(insert(p2wpkh, more!), byId, new RegExp(`a key of type 0x${type} of the global map has the wrong length`));
  }
  for (const more of [
    '020000',
    '0201aa',
    '0203aa',
    '0204aa',
    '0205aa',
    '0202aa',
    '0206aa',
    '0213aa',
    '0216aa',
    '0217aa',
    '0218aa',
  ]) {
    refused(insert(p2wpkh, `${more}00`, inputsAt(p2wpkh)), byId, /of input 0 has the wrong length/);
  }
  refused(insert(p2wpkh, '0200aa00', p2wpkh.length - 1), byId, /of output 0 has the wrong length/);
  // BIP-370.
  refused(insert(p2wpkh, '01fb0402000000'), byId, /only PSBT version 0/);
  refused(insert(p2wpkh, '01fb020000'), byId, /only PSBT version 0/);
  refused(insert(p2wpkh, '01020402000000'), byId, /type 0x02, which is of PSBT version 2/);
  refused(insert(p2wpkh, '01100400000000', inputsAt(p2wpkh)), byId, /type 0x10, which is of PSBT version 2/);
  refused(insert(p2wpkh, '0103080000000000000000', p2wpkh.length - 1), byId, /type 0x03, which is of PSBT version 2/);
  assert.equal(bitcoinTransaction.parse(insert(p2wpkh, '01fb0400000000'), byId).toSign.length, 1);
  const many = Array.from({ length: 50_000 }, (_, i) => `04f0${i.toString(16).padStart(6, '0')}00`).join('');
  refused(insert(p2wpkh, many), byId, /at most 50000 pairs/);
});

test('the unsigned transaction', () => {
  const unsigned = readPsbt(p2wpkh).global.get('00')!;
  const other = (change: (transaction: bitcoin.Transaction) => void) => {
    const transaction = bitcoin.Transaction.fromBuffer(unsigned);
    change(transaction);
    return withUnsigned(p2wpkh, transaction.toBuffer());
  };
  const { global, ...maps } = readPsbt(p2wpkh);
  refused(
    asBuffer(writePsbt({ global: new Map([...global].filter(([type]) => type !== '00')), ...maps })),
    byId,
    /holds no unsigned transaction/,
  );
  refused(
    other((tx) => tx.setInputScript(0, hex('51'))),
    byId,
    /must have no scriptSig/,
  );
  refused(
    other((tx) => tx.setWitness(0, [hex('51')])),
    byId,
    /must be serialized without witnesses/,
  );
  refused(
    other((tx) => tx.outs.splice(0)),
    byId,
    /has no outputs/,
  );
  refused(withUnsigned(p2wpkh, hex(`02000000${'00'.repeat(6)}`)), byId, /has no inputs/);
  refused(withUnsigned(p2wpkh, Buffer.concat([unsigned, hex('00')])), byId, /has bytes after its end/);
  refused(withUnsigned(p2wpkh, unsigned.subarray(0, -1)), byId, /ends too early/);
  refused(
    withUnsigned(p2wpkh, Buffer.concat([unsigned.subarray(0, 4), hex('fd0100'), unsigned.subarray(5)])),
    byId,
    /shortest form/,
  );
  refused(withUnsigned(p2wpkh, Buffer.concat([unsigned.subarray(0, 4), hex('feffffff7f')])), byId, /ends too early/);
  const many = Buffer.concat([unsigned.subarray(0, 46), hex('fdc509'), Buffer.alloc(9 * 2501), Buffer.alloc(4)]);
  refused(withUnsigned(p2wpkh, many), byId, /outputs of the unsigned transaction: at most 2500/);
  const inputs = Buffer.concat([hex('fde903'), Buffer.alloc(41 * 1001)]);
  refused(
    withUnsigned(p2wpkh, Buffer.concat([unsigned.subarray(0, 4), inputs])),
    byId,
    /inputs of the unsigned transaction: at most 1000/,
  );
  const twice = Buffer.concat([hex('0200000002'), unsigned.subarray(5, 46), unsigned.subarray(5)]);
  const both = readPsbt(p2wpkh).inputs[0]!;
  refused(
    asBuffer(writePsbt({ ...readPsbt(p2wpkh), global: new Map([['00', twice]]), inputs: [both, both] })),
    byId,
    /an output is spent twice/,
  );
});

test('what an input spends', () => {
  const claim = pair(p2wpkh, '01');
  const previous = pair(p2pkh, '00');
  refused(edit(p2wpkh, 0, { '01': undefined }), byId, /input 0 does not name the output that it spends/);
  refused(edit(p2wpkh, 0, { '01': Buffer.concat([claim, hex('00')]) }), byId, /witness_utxo of input 0 has bytes after its end/);
  refused(edit(p2wpkh, 0, { '01': claim.subarray(0, -1) }), byId, /witness_utxo of input 0 ends too early/);
  const another = bitcoin.Transaction.fromBuffer(previous);
  another.locktime = 5;
  refused(
    edit(p2pkh, 0, { '00': another.toBuffer() }),
    byId,
    /non_witness_utxo of input 0 is not the transaction that it spends/,
  );
  refused(edit(p2pkh, 0, { '00': Buffer.concat([previous, hex('00')]) }), byId, /non_witness_utxo of input 0 has bytes after/);
  const beyond = Buffer.from(readPsbt(p2pkh).global.get('00')!);
  beyond[37] = 7;
  refused(withUnsigned(p2pkh, beyond), byId, /non_witness_utxo of input 0 has no output 7/);
  // Our own inputs need the UTXO field of their kind.
  const spentByP2pkh = utxo(spendables.p2pkh(mine).output);
  refused(edit(p2pkh, 0, { '00': undefined, '01': spentByP2pkh }), byId, /spends no segwit output: give non_witness_utxo/);
  refused(edit(p2pkh, 0, { '01': spentByP2pkh }), byId, /input 0 \(P2PKH\) must have non_witness_utxo and no witness_utxo/);
  refused(edit(p2pkh, 0, { '01': utxo(spendables.p2pkh(mine).output, 5n) }), byId, /witness_utxo of input 0 differ/);
  refused(
    edit(p2sh, 0, { '00': undefined, '01': utxo(spendables.p2shMultisig(mine).output) }),
    byId,
    /input 0 \(P2SH\) must have non_witness_utxo/,
  );
  // Every input needs a UTXO, also one of another key: without it the fee is unknown.
  const mixed = spending('p2tr', { name: 'p2wpkh', of: other, value: 1n });
  refused(edit(mixed, 1, { '01': undefined }), byTaproot, /input 1 does not name the output that it spends/);
});

test('values and the fee', () => {
  const MOST = 21_000_000n * COIN;
  const worth = (value: bigint) => edit(p2wpkh, 0, { '01': utxo(spendables.p2wpkh(mine).output, value) });
  refused(worth(COIN - 1n), byId, /the outputs are worth more than the inputs/);
  assert.equal(bitcoinTransaction.parse(worth(COIN), byId).view(new Map())[FEE], 0n);
  assert.equal(bitcoinTransaction.parse(worth(MOST), byId).view(new Map())[FEE], MOST - COIN);
  refused(worth(MOST + 1n), byId, /the inputs are worth more than 21 million/);
  refused(worth(2n ** 64n - 1n), byId, /the inputs are worth more than 21 million/);
  refused(
    bytesOf(build({ inputs: [{ name: 'p2wpkh', of: mine, value: 1n }], outputs: [{ ...payment, value: MOST + 1n }] })),
    byId,
    /outputs are worth more than 21/,
  );
  const half = { ...payment, value: MOST / 2n + 1n };
  refused(
    bytesOf(build({ inputs: [{ name: 'p2wpkh', of: mine, value: MOST }], outputs: [half, half] })),
    byId,
    /outputs are worth more than 21/,
  );
});

test('scripts of P2SH and P2WSH', () => {
  const { script } = spendables.p2shMultisig(mine);
  refused(edit(p2sh, 0, { '04': undefined }), byId, /none of its inputs/);
  refused(edit(p2sh, 0, { '04': Buffer.concat([script!, hex('61')]) }), byId, /redeem_script of input 0 does not match/);
  refused(edit(p2wsh, 0, { '05': undefined }), byId, /none of its inputs/);
  refused(edit(p2wsh, 0, { '05': Buffer.concat([script!, hex('61')]) }), byId, /witness_script of input 0 does not match/);
  refused(edit(p2wpkh, 0, { '04': script! }), byId, /redeem_script of input 0 does not match/);
  refused(edit(spending('p2wshKey'), 0, { '05': undefined }), byId, /input 0 \(P2WSH\) needs witness_script/);
  const withScript = (witnessScript: Buffer) => {
    return edit(p2wsh, 0, { '01': utxo(p2wshOf(witnessScript)), '05': witnessScript });
  };
  const push = Buffer.concat([hex('21'), mine.publicKey]);
  refused(withScript(Buffer.concat([push, hex('abac')])), byId, /the script of input 0 has OP_CODESEPARATOR/);
  assert.equal(
    bitcoinTransaction.parse(withScript(Buffer.concat([push, hex('01ab75ac')])), byId).toSign.length,
    1,
    'pushed, not run',
  );
  for (const broken of [
    Buffer.concat([push, hex('ac4c')]),
    Buffer.concat([push, hex('4d0100')]),
    Buffer.concat([push, hex('05aa')]),
  ]) {
    refused(withScript(broken), byId, /none of its inputs/);
  }
  refused(withScript(Buffer.concat([push, Buffer.alloc(10_000, 0x61)])), byId, /none of its inputs/);
  refused(withScript(Buffer.concat([hex('23'), push, hex('ac')])), byId, /none of its inputs/);
});

test('segwit in P2SH, and taproot script paths, whosever they are', () => {
  const wrapped = bitcoin.payments.p2sh({ redeem: bitcoin.payments.p2wpkh({ pubkey: mine.publicKey }) });
  const others = bitcoin.payments.p2sh({ redeem: bitcoin.payments.p2wpkh({ pubkey: other.publicKey }) });
  refused(
    edit(p2wpkh, 0, { '01': utxo(wrapped.output!), '04': wrapped.redeem!.output! }),
    byId,
    /input 0 is segwit wrapped in P2SH/,
  );
  refused(edit(p2wpkh, 0, { '01': utxo(wrapped.output!) }), signer(mine, 'P2SH'), /input 0 is segwit wrapped in P2SH/);
  const mixed = spending('p2wpkh', { name: 'p2wpkh', of: other, value: 9n });
  refused(
    edit(mixed, 1, { '01': utxo(others.output!), '04': others.redeem!.output! }),
    byId,
    /input 1 is segwit wrapped in P2SH/,
  );
  const trees = spending('p2tr', { name: 'p2tr', of: other, value: 9n });
  for (const i of [0, 1]) {
    const why = new RegExp(`input ${i} is spent by a taproot script path`);
    refused(edit(trees, i, { [`14${'aa'.repeat(64)}`]: Buffer.alloc(64) }), byTaproot, why);
    refused(edit(trees, i, { [`15c0${'aa'.repeat(32)}`]: hex('51c0') }), byTaproot, why);
    const derivation = `16${mine.publicKey.toString('hex', 1)}`;
    refused(edit(trees, i, { [derivation]: Buffer.concat([hex('01'), Buffer.alloc(36)]) }), byTaproot, why);
    refused(edit(trees, i, { [derivation]: hex('0500') }), byTaproot, /tap_bip32_derivation of input . ends too early/);
    assert.equal(bitcoinTransaction.parse(edit(trees, i, { [derivation]: Buffer.alloc(5) }), byTaproot).toSign.length, 1);
  }
  refused(edit(trees, 0, { '18': Buffer.alloc(32) }), byTaproot, /input 0 has a merkle root/);
  assert.equal(bitcoinTransaction.parse(edit(trees, 1, { '18': Buffer.alloc(32) }), byTaproot).toSign.length, 1);
  refused(edit(trees, 0, { '17': Buffer.alloc(32, 5) }), byTaproot, /tap_internal_key of input 0 is not the key/);
});

test('sighash types and finalized inputs', () => {
  const rows = [
    { bytes: p2pkh, by: byId, good: '01000000', name: 'SIGHASH_ALL' },
    { bytes: p2sh, by: byId, good: '01000000', name: 'SIGHASH_ALL' },
    { bytes: p2wpkh, by: byId, good: '01000000', name: 'SIGHASH_ALL' },
    { bytes: p2wsh, by: byId, good: '01000000', name: 'SIGHASH_ALL' },
    { bytes: p2tr, by: byTaproot, good: '00000000', name: 'SIGHASH_DEFAULT' },
  ];
  for (const { bytes, by, good, name } of rows) {
    assert.equal(bitcoinTransaction.parse(edit(bytes, 0, { '03': hex(good) }), by).toSign.length, 1);
    for (const type of ['00000000', '01000000', '02000000', '03000000', '81000000', '01010000']) {
      if (type !== good) refused(edit(bytes, 0, { '03': hex(type) }), by, new RegExp(`is signed with ${name} only`));
    }
    refused(edit(bytes, 0, { '03': hex('01') }), by, /sighash_type of input 0 must be 4 bytes/);
    refused(edit(bytes, 0, { '07': hex('51') }), by, /is already finalized/);
    refused(edit(bytes, 0, { '08': hex('00') }), by, /is already finalized/);
  }
  const mixed = spending('p2wpkh', { name: 'p2wpkh', of: other, value: 9n });
  assert.equal(bitcoinTransaction.parse(edit(mixed, 1, { '03': hex('83000000'), '08': hex('00') }), byId).toSign.length, 1);
});
