import { concat, viewOf } from '../../base/bytes.ts';
import { sha256, taggedHash } from '../../crypto/hash.ts';
import { invalidTransaction } from '../shared/transaction.ts';
import type { RawOutput, RawTransaction } from './raw-transaction.ts';
import { compactSize, sized } from './reader.ts';
import { hash256 } from './scripts.ts';

/** The digest method of an input; `script` is the script that runs the signature's opcode. */
export type Signing = { by: 'legacy' | 'segwit'; script: Uint8Array } | { by: 'taproot' };

/** Bytes that one request may hash: the legacy method hashes the whole transaction for each input. */
const MOST_HASHED = 64 * 1024 * 1024;

export const SIGHASH_DEFAULT = 0x00;
export const SIGHASH_ALL = 0x01;

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value, true);
  return bytes;
}

function uint64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  viewOf(bytes).setBigUint64(0, value, true);
  return bytes;
}

const sighashAll = uint32(SIGHASH_ALL);

/** The transaction with `script` as the input's scriptSig and none in the others: the digest before BIP-143. */
function legacyHasher(transaction: RawTransaction): (i: number, script: Uint8Array) => Uint8Array {
  const head = [uint32(transaction.version), compactSize(transaction.inputs.length)];
  const others = transaction.inputs.map(({ outpoint, sequence }) => concat([outpoint, Uint8Array.of(0), uint32(sequence)]));
  const tail = [compactSize(transaction.outputs.length), transaction.outputBytes, uint32(transaction.locktime), sighashAll];
  let hashed = 0;
  return (i, script) => {
    const { outpoint, sequence } = transaction.inputs[i]!;
    const own = [outpoint, sized(script), uint32(sequence)];
    const parts = [...head, ...others.slice(0, i), ...own, ...others.slice(i + 1), ...tail];
    hashed += parts.reduce((length, part) => length + part.length, 0);
    if (hashed > MOST_HASHED) throw invalidTransaction('the transaction has too many legacy inputs for its size: split it');
    return hash256(concat(parts));
  };
}

/** BIP-143 with SIGHASH_ALL. Parts that do not depend on the input are hashed once. */
function segwitHasher(transaction: RawTransaction, spent: readonly RawOutput[]): (i: number, script: Uint8Array) => Uint8Array {
  const { version, inputs, outputBytes, locktime } = transaction;
  const prevouts = hash256(concat(inputs.map(({ outpoint }) => outpoint)));
  const sequences = hash256(concat(inputs.map(({ sequence }) => uint32(sequence))));
  const head = concat([uint32(version), prevouts, sequences]);
  const tail = concat([hash256(outputBytes), uint32(locktime), sighashAll]);
  return (i, script) => {
    const { outpoint, sequence } = inputs[i]!;
    return hash256(concat([head, outpoint, sized(script), uint64(spent[i]!.value), uint32(sequence), tail]));
  };
}

/** BIP-341 for the key path with SIGHASH_DEFAULT and no annex. */
function taprootHasher(transaction: RawTransaction, spent: readonly RawOutput[]): (i: number) => Uint8Array {
  const { version, inputs, outputBytes, locktime } = transaction;
  const all = (parts: Uint8Array[]) => sha256(concat(parts));
  const common = concat([
    // The epoch and the hash type.
    Uint8Array.of(0x00, SIGHASH_DEFAULT),
    uint32(version),
    uint32(locktime),
    all(inputs.map(({ outpoint }) => outpoint)),
    all(spent.map(({ value }) => uint64(value))),
    all(spent.map(({ script }) => sized(script))),
    all(inputs.map(({ sequence }) => uint32(sequence))),
    sha256(outputBytes),
    // The spend type: no annex, no script.
    Uint8Array.of(0x00),
  ]);
  return (i) => taggedHash('TapSighash', concat([common, uint32(i)]));
}

/**
 * The digests of a transaction's inputs. `spent`: the output that each input spends, in order. Time is linear except for
 * legacy inputs, which may hash 64 MiB in total. Throws INVALID_TRANSACTION beyond.
 */
export function sighasher(transaction: RawTransaction, spent: readonly RawOutput[]): (i: number, signing: Signing) => Uint8Array {
  const legacy = legacyHasher(transaction);
  const segwit = segwitHasher(transaction, spent);
  const taproot = taprootHasher(transaction, spent);
  return (i, signing) => {
    if (signing.by === 'taproot') return taproot(i);
    return signing.by === 'legacy' ? legacy(i, signing.script) : segwit(i, signing.script);
  };
}
