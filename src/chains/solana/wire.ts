import { concat } from '../../base/bytes.ts';
import { invalidTransaction } from '../shared/transaction.ts';
import { compactU16, type Message, readMessage, VERSION_0 } from './message.ts';

/** One packet: validators accept no longer transaction. */
export const LONGEST = 1232;
export const SIGNATURE = 64;

/** A transaction that was read. `slots`: offset of the first signature. `start`: offset of the message. */
export type Wire = { slots: number; start: number; message: Message };

function readSlots(bytes: Uint8Array): { count: number; slots: number } {
  const first = compactU16(bytes, 0);
  if (first === undefined) throw invalidTransaction('it does not begin with the number of signatures');
  if (!first.shortest) throw invalidTransaction('the number of signatures is not in its shortest form');
  return { count: first.value, slots: first.length };
}

function readWire(bytes: Uint8Array): Wire {
  const { count, slots } = readSlots(bytes);
  const start = slots + count * SIGNATURE;
  if (start > bytes.length) throw invalidTransaction(`it is too short for ${count} signatures`);
  const message = readMessage(bytes.subarray(start));
  if (count !== message.requiredSignatures) {
    throw invalidTransaction(`it has ${count} signature slots, and its message requires ${message.requiredSignatures}`);
  }
  return { slots, start, message };
}

function isMessage(bytes: Uint8Array): boolean {
  try {
    readMessage(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Reads exactly one transaction. Throws INVALID_TRANSACTION. */
export function readTransaction(bytes: Uint8Array): Wire {
  if (bytes.length > LONGEST) throw invalidTransaction(`it is longer than ${LONGEST} bytes`);
  try {
    return readWire(bytes);
  } catch (error) {
    throw isMessage(bytes)
      ? invalidTransaction('it is only a message: put its signature slots before it, 64 zero bytes each')
      : error;
  }
}

function count(n: number): Uint8Array {
  const bytes: number[] = [];
  for (let left = n; ; left >>= 7) {
    if (left < 0x80) return Uint8Array.from([...bytes, left]);
    bytes.push((left & 0x7f) | 0x80);
  }
}

const counted = (bytes: Uint8Array): Uint8Array[] => [count(bytes.length), bytes];

/** The one encoding of a message. */
export function writeMessage(message: Message): Uint8Array {
  const { legacy, requiredSignatures, readonlySigned, readonlyUnsigned, keys, blockhash, instructions, lookups } = message;
  return concat([
    Uint8Array.from([...(legacy ? [] : [VERSION_0]), requiredSignatures, readonlySigned, readonlyUnsigned]),
    count(keys.length),
    ...keys,
    blockhash,
    count(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [Uint8Array.of(program), ...counted(accounts), ...counted(data)]),
    ...(legacy ? [] : [count(lookups.length)]),
    ...lookups.flatMap(({ key, writable, readonly }) => [key, ...counted(writable), ...counted(readonly)]),
  ]);
}

/** A transaction without a signature. */
export const unsigned = (message: Message): Uint8Array =>
  concat([count(message.requiredSignatures), new Uint8Array(message.requiredSignatures * SIGNATURE), writeMessage(message)]);
