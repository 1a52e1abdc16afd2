import { concat } from '../../base/bytes.ts';
import { invalidTransaction } from '../shared/transaction.ts';
import { type ByteReader, reader } from './reader.ts';
import { hash256 } from './scripts.ts';

export type RawInput = {
  /** The txid in wire byte order and the output's index: 36 bytes. */
  outpoint: Uint8Array;
  script: Uint8Array;
  sequence: number;
};

/** `value`: satoshis, unchecked: any 64-bit number. */
export type RawOutput = { value: bigint; script: Uint8Array };

/** The `Takers` choose the parts of the inputs and outputs to keep. */
type Read<I, O> = {
  version: number;
  inputs: I;
  outputs: O;
  locktime: number;
  /** The serialized outputs, without their count. */
  outputBytes: Uint8Array;
  /** In wire byte order, the reverse of how it is displayed: 32 bytes. */
  txid: Uint8Array;
  witness: boolean;
};

export type RawTransaction = Read<readonly RawInput[], readonly RawOutput[]>;

/** The most inputs and outputs allowed. */
export type Counts = { inputs: number; outputs: number };

const SMALLEST_INPUT = 36 + 1 + 4;
const SMALLEST_OUTPUT = 8 + 1;

/** Each must consume the bytes of exactly `count` inputs or outputs. */
type Takers<I, O> = { inputs(from: ByteReader, count: number): I; outputs(from: ByteReader, count: number): O };

/**
 * Reads a transaction in its network serialization, with witnesses (BIP-144) or without. Sizes must be in their shortest
 * form, so that there is one encoding only. `what` names the transaction in errors. Throws INVALID_TRANSACTION.
 */
function read<I, O>(bytes: Uint8Array, what: string, takers: Takers<I, O>): Read<I, O> {
  const from = reader(bytes, what);
  const version = from.uint32();
  const witness = bytes[4] === 0x00 && bytes[5] === 0x01;
  if (witness) from.skip(2);
  const start = from.at();
  const inputCount = from.count(SMALLEST_INPUT);
  if (inputCount === 0) throw invalidTransaction(`${what} has no inputs`);
  const inputs = takers.inputs(from, inputCount);
  const outputCount = from.count(SMALLEST_OUTPUT);
  const outputsAt = from.at();
  const outputs = takers.outputs(from, outputCount);
  const end = from.at();
  if (witness) skipWitnesses(from, inputCount);
  const locktime = from.uint32();
  from.end();
  const stripped = concat([bytes.subarray(0, 4), bytes.subarray(start, end), bytes.subarray(-4)]);
  return { version, inputs, outputs, locktime, outputBytes: bytes.subarray(outputsAt, end), txid: hash256(stripped), witness };
}

function readInput(from: ByteReader): RawInput {
  return { outpoint: from.take(36), script: from.sized(), sequence: from.uint32() };
}

function readOutput(from: ByteReader): RawOutput {
  return { value: from.uint64(), script: from.sized() };
}

function skipWitnesses(from: ByteReader, inputs: number): void {
  for (let i = 0; i < inputs; i++) {
    for (let items = from.count(1); items > 0; items--) from.skipSized();
  }
}

function list<T>(count: number, most: number, what: string, one: () => T): T[] {
  if (count > most) throw invalidTransaction(`${what}: at most ${most}`);
  return Array.from({ length: count }, one);
}

/** The whole transaction, with at most `most` inputs and outputs. */
export function readTransaction(bytes: Uint8Array, what: string, most: Counts): RawTransaction {
  return read(bytes, what, {
    inputs: (from, count) => list(count, most.inputs, `inputs of ${what}`, () => readInput(from)),
    outputs: (from, count) => list(count, most.outputs, `outputs of ${what}`, () => readOutput(from)),
  });
}

function skipInputs(from: ByteReader, count: number): void {
  for (let i = 0; i < count; i++) {
    from.skip(36);
    from.skipSized();
    from.skip(4);
  }
}

/** Undefined if the index is out of range. */
function onlyOutput(from: ByteReader, count: number, index: number): RawOutput | undefined {
  let found: RawOutput | undefined;
  for (let i = 0; i < count; i++) {
    if (i === index) found = readOutput(from);
    else {
      from.skip(8);
      from.skipSized();
    }
  }
  return found;
}

/**
 * The txid of a transaction and its output at `index`, undefined if there is none. The transaction is read to its end, in
 * linear time; no other input, output or witness is kept.
 */
export function readOutputOf(
  bytes: Uint8Array,
  what: string,
  index: number,
): { txid: Uint8Array; output: RawOutput | undefined } {
  const { txid, outputs: output } = read(bytes, what, {
    inputs: skipInputs,
    outputs: (from, count) => onlyOutput(from, count, index),
  });
  return { txid, output };
}
