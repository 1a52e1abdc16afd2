import { invalidTransaction } from '../transaction.ts';
import { type Reader, reader } from './reader.ts';
import { hash256 } from './scripts.ts';

export type RawInput = {
  /** The txid in the order of its bytes on the wire, and the index of the output: 36 bytes. */
  outpoint: Buffer;
  script: Buffer;
  sequence: number;
};

/** `value`: satoshis, as they stand there: any number of 64 bits. */
export type RawOutput = { value: bigint; script: Buffer };

export type RawTransaction = {
  version: number;
  inputs: readonly RawInput[];
  outputs: readonly RawOutput[];
  locktime: number;
  /** The outputs as they are serialized, without their number. */
  outputBytes: Buffer;
  /** In the order of its bytes on the wire, which is the reverse of how it is shown: 32 bytes. */
  txid: Buffer;
  witness: boolean;
};

/** How many inputs and outputs there may be. */
export type Counts = { inputs: number; outputs: number };

const SMALLEST_INPUT = 36 + 1 + 4;
const SMALLEST_OUTPUT = 8 + 1;

function readInput(from: Reader): RawInput {
  return { outpoint: from.take(36), script: from.sized(), sequence: from.uint32() };
}

function readOutput(from: Reader): RawOutput {
  return { value: from.uint64(), script: from.sized() };
}

function skipWitnesses(from: Reader, inputs: number): void {
  for (let i = 0; i < inputs; i++) {
    for (let items = from.count(1); items > 0; items--) from.sized();
  }
}

function list<T>(count: number, most: number, what: string, read: () => T): T[] {
  if (count > most) throw invalidTransaction(`${what}: at most ${most}`);
  return Array.from({ length: count }, read);
}

/**
 * Reads a transaction as it is sent over the network, with witnesses (BIP-144) or without. Sizes must be in their shortest
 * form, so that there is one encoding only. `what` names it in errors. Throws INVALID_TRANSACTION.
 */
export function readTransaction(bytes: Buffer, what: string, most: Counts): RawTransaction {
  const from = reader(bytes, what);
  const version = from.uint32();
  const witness = bytes[4] === 0x00 && bytes[5] === 0x01;
  if (witness) from.take(2);
  const start = from.at();
  const inputs = list(from.count(SMALLEST_INPUT), most.inputs, `inputs of ${what}`, () => readInput(from));
  if (inputs.length === 0) throw invalidTransaction(`${what} has no inputs`);
  const outputCount = from.count(SMALLEST_OUTPUT);
  const outputsAt = from.at();
  const outputs = list(outputCount, most.outputs, `outputs of ${what}`, () => readOutput(from));
  const end = from.at();
  if (witness) skipWitnesses(from, inputs.length);
  const locktime = from.uint32();
  from.end();
  const stripped = Buffer.concat([bytes.subarray(0, 4), bytes.subarray(start, end), bytes.subarray(-4)]);
  return {
    version,
    inputs,
    outputs,
    locktime,
    outputBytes: bytes.subarray(outputsAt, end),
    txid: hash256(stripped),
    witness,
  };
}
