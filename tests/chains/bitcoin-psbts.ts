/** PSBTs of every kind of input, made by bitcoinjs-lib, and signatures by tiny-secp256k1: independent of what they test. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as bitcoin from 'bitcoinjs-lib';
import { ApiError } from '../../src/base/errors.ts';
import { type PsbtMap, readPsbt, writePsbt } from '../../src/chains/bitcoin/psbt.ts';
import { bitcoinTransaction } from '../../src/chains/bitcoin/transaction.ts';
import type { TransactionSigner, UnsignedTransaction } from '../../src/chains/shared/transaction.ts';
import { asBuffer } from '../../src/crypto/buffers.ts';
import { sha256 } from '../../src/crypto/hash.ts';
import type { RawSignature } from '../../src/crypto/signing-types.ts';

const ecc = createRequire(import.meta.url)('tiny-secp256k1') as typeof import('tiny-secp256k1');
bitcoin.initEccLib(ecc);

export { bitcoin, ecc };

export type Key = { secret: Buffer; publicKey: Buffer; tweaked: Uint8Array; outputKey: Uint8Array };

/** A key from a label. */
export function key(label: string): Key {
  const secret = Buffer.from(sha256(Buffer.from(label)));
  const publicKey = Buffer.from(ecc.pointFromScalar(secret, true)!);
  const tweak = bitcoin.crypto.taggedHash('TapTweak', publicKey.subarray(1));
  const even = publicKey[0] === 0x03 ? ecc.privateNegate(secret) : secret;
  const tweaked = ecc.privateAdd(even, tweak)!;
  return { secret, publicKey, tweaked, outputKey: ecc.xOnlyPointFromScalar(tweaked) };
}

export const mine = key('mine');
export const other = key('other');
export const third = key('third');

/** How an output is made and spent. `script`: what commits to it in P2SH and P2WSH. */
export type Spendable = { kind: string; output: Uint8Array; script?: Uint8Array; multisig?: boolean };

const p = bitcoin.payments;

function inP2sh(script: Uint8Array, multisig = false): Spendable {
  return { kind: 'P2SH', output: p.p2sh({ redeem: { output: script } }).output!, script, multisig };
}

function inP2wsh(script: Uint8Array, multisig = false): Spendable {
  return { kind: 'P2WSH', output: p.p2wsh({ redeem: { output: script } }).output!, script, multisig };
}

/** Two of three keys: the owner's and two others. */
const multisigOf = ({ publicKey }: Key) =>
  p.p2ms({ m: 2, pubkeys: [key('cosigner 1').publicKey, publicKey, key('cosigner 2').publicKey] }).output!;
export const cosigner = key('cosigner 1');

export const spendables = {
  p2pkh: (of: Key): Spendable => ({ kind: 'P2PKH', output: p.p2pkh({ pubkey: of.publicKey }).output! }),
  p2shMultisig: (of: Key) => inP2sh(multisigOf(of), true),
  p2shKey: (of: Key) => inP2sh(p.p2pk({ pubkey: of.publicKey }).output!),
  p2shKeyHash: (of: Key) => inP2sh(p.p2pkh({ pubkey: of.publicKey }).output!),
  p2wpkh: (of: Key): Spendable => ({ kind: 'P2WPKH', output: p.p2wpkh({ pubkey: of.publicKey }).output! }),
  p2wshMultisig: (of: Key) => inP2wsh(multisigOf(of), true),
  p2wshKey: (of: Key) => inP2wsh(p.p2pk({ pubkey: of.publicKey }).output!),
  p2wshKeyHash: (of: Key) => inP2wsh(p.p2pkh({ pubkey: of.publicKey }).output!),
  p2tr: (of: Key): Spendable => ({ kind: 'P2TR', output: p.p2tr({ internalPubkey: of.publicKey.subarray(1) }).output! }),
} as const;
export type SpendableName = keyof typeof spendables;

/** What the PSBT says of the output that is spent: witness_utxo, non_witness_utxo, or both. */
export type Utxo = 'claim' | 'previous' | 'both';
export type InputSpec = { name: SpendableName; of: Key; value: bigint; sequence?: number; utxo?: Utxo };
export type OutputSpec = { script: Uint8Array; value: bigint };
export type TransactionSpec = {
  inputs: readonly InputSpec[];
  outputs: readonly OutputSpec[];
  version?: number;
  locktime?: number;
};

/** A transaction that has the output at a place that depends on its number, with a witness in some. */
function previousOf(script: Uint8Array, value: bigint, seed: number): { previous: bitcoin.Transaction; index: number } {
  const previous = new bitcoin.Transaction();
  previous.version = 2;
  previous.addInput(sha256(Buffer.from(`previous ${seed}`)), seed % 7);
  if (seed % 2 === 0) previous.setWitness(0, [Buffer.alloc(71, 7), Buffer.alloc(33, 2)]);
  const index = seed % 3;
  for (let i = 0; i < index; i++) previous.addOutput(Buffer.of(0x6a), 0n);
  previous.addOutput(script, value);
  return { previous, index };
}

export function utxoOf({ name, of, utxo = 'claim' }: InputSpec): Utxo {
  const { kind } = spendables[name](of);
  if (kind === 'P2PKH' || kind === 'P2SH') return 'previous';
  // bitcoinjs-lib finalizes no P2TR input without witness_utxo.
  return kind === 'P2TR' && utxo === 'previous' ? 'both' : utxo;
}

/** The PSBT with all that its signers need. */
export function build({ inputs, outputs, version = 2, locktime = 0 }: TransactionSpec): bitcoin.Psbt {
  const psbt = new bitcoin.Psbt({ maximumFeeRate: Number.MAX_SAFE_INTEGER });
  psbt.setVersion(version);
  psbt.setLocktime(locktime);
  for (const [i, input] of inputs.entries()) {
    const { name, of, value, sequence = 0xffff_fffe } = input;
    const { kind, output, script } = spendables[name](of);
    const { previous, index } = previousOf(output, value, i);
    const utxo = utxoOf(input);
    psbt.addInput({
      hash: previous.getId(),
      index,
      sequence,
      ...(utxo !== 'claim' && { nonWitnessUtxo: previous.toBuffer() }),
      ...(utxo !== 'previous' && { witnessUtxo: { script: output, value } }),
      ...(kind === 'P2SH' && { redeemScript: script! }),
      ...(kind === 'P2WSH' && { witnessScript: script! }),
      ...(kind === 'P2TR' && { tapInternalKey: of.publicKey.subarray(1) }),
    });
  }
  for (const { script, value } of outputs) psbt.addOutput({ script, value });
  return psbt;
}

export const bytesOf = (psbt: bitcoin.Psbt): Buffer => Buffer.from(psbt.toBuffer());

/** The transaction in the PSBT as bitcoinjs-lib reads it. */
export function unsignedOf(bytes: Buffer): bitcoin.Transaction {
  const unsigned = bitcoin.Psbt.fromBuffer(bytes).data.globalMap.unsignedTx.toBuffer();
  return bitcoin.Transaction.fromBuffer(unsigned);
}

/** A signer that is named by its id, or by an address of a format; the text of the address is not read. */
export function signer(of: Key, kind?: string, network = 'MAINNET'): TransactionSigner {
  return {
    curve: 'CURVE_SECP256K1',
    publicKey: of.publicKey,
    ...(kind && { address: { text: 'the address', format: `ADDRESS_FORMAT_BITCOIN_${network}_${kind}` } }),
  };
}

export const digestsOf = ({ toSign }: UnsignedTransaction): Buffer[] =>
  toSign.map((one) => {
    if (!('digest' in one)) throw new Error('not a digest');
    return asBuffer(one.digest);
  });

/** Signs as the vault does: BIP-340 with the tweaked key for a P2TR address, ECDSA otherwise. */
export function signaturesOf(parsed: UnsignedTransaction, of: Key, schnorr: boolean): RawSignature[] {
  return digestsOf(parsed).map((digest) => {
    const compact = Buffer.from(schnorr ? ecc.signSchnorr(digest, of.tweaked) : ecc.sign(digest, of.secret));
    return { r: compact.subarray(0, 32), s: compact.subarray(32), v: 0 };
  });
}

/** bitcoinjs-lib's signers. */
export const ecdsaSigner = ({ secret, publicKey }: Key): bitcoin.Signer => ({
  publicKey,
  sign: (digest) => ecc.sign(digest, secret),
});
export const schnorrSigner = ({ tweaked, outputKey }: Key): bitcoin.Signer => ({
  publicKey: Buffer.concat([Buffer.of(0x02), outputKey]),
  sign: () => {
    throw new Error('not with this key');
  },
  signSchnorr: (digest: Uint8Array) => ecc.signSchnorr(digest, tweaked),
});

/** The PSBT with pairs of one input changed: hex keys to values, undefined to take one away. */
export function edit(bytes: Buffer, i: number, changes: Record<string, Uint8Array | undefined>): Buffer {
  const psbt = readPsbt(bytes);
  const map = new Map(psbt.inputs[i]);
  for (const [pair, value] of Object.entries(changes)) {
    if (value === undefined) map.delete(pair);
    else map.set(pair, Buffer.from(value));
  }
  return asBuffer(writePsbt({ ...psbt, inputs: psbt.inputs.map((each, k): PsbtMap => (k === i ? map : each)) }));
}

/** The PSBT with another unsigned transaction, whatever it is. */
export function withUnsigned(bytes: Buffer, unsigned: Uint8Array): Buffer {
  const psbt = readPsbt(bytes);
  return asBuffer(writePsbt({ ...psbt, global: new Map([...psbt.global, ['00', Buffer.from(unsigned)]]) }));
}

export const COIN = 100_000_000n;
export const payment = { script: spendables.p2wpkh(third).output, value: COIN };

/** One input of mine worth two coins, and others; one output of one coin. */
export const spending = (name: SpendableName, ...others: InputSpec[]) =>
  bytesOf(build({ inputs: [{ name, of: mine, value: 2n * COIN }, ...others], outputs: [payment] }));

/** The PSBT with bytes put in after a place; the place is after the magic if not given. */
export const insert = (bytes: Buffer, more: string, at = 5) =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from(more, 'hex'), bytes.subarray(at)]);

/** INVALID_TRANSACTION, with such a message. */
export function refused(bytes: Buffer, by: TransactionSigner, why: RegExp): void {
  const check = (error: unknown) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, 'INVALID_TRANSACTION');
    assert.match(error.message, why);
    return true;
  };
  assert.throws(() => bitcoinTransaction.parse(bytes, by), check);
}
