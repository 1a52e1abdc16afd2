import { toHex } from '../../base/bytes.ts';
import { invalidTransaction } from '../shared/transaction.ts';

/** `accounts`: indexes into the keys of the message, followed by the keys loaded from lookup tables. */
export type Instruction = { program: number; accounts: Uint8Array; data: Uint8Array };

/** A lookup table and which of its entries are loaded. */
export type Lookup = { key: Uint8Array; writable: Uint8Array; readonly: Uint8Array };

/** A message whose indexes and counts are in range: a legacy one, or version 0. Keys and the blockhash have 32 bytes. */
export type Message = {
  legacy: boolean;
  requiredSignatures: number;
  readonlySigned: number;
  readonlyUnsigned: number;
  keys: readonly Uint8Array[];
  blockhash: Uint8Array;
  instructions: readonly Instruction[];
  lookups: readonly Lookup[];
};

export const VERSION_0 = 0x80;

/**
 * Solana's encoding of a count ("compact-u16"): 7 bits a byte, least significant first. `length`: in bytes. `shortest`: whether
 * this is the shortest encoding. Undefined if there is no valid count.
 */
export function compactU16(bytes: Uint8Array, at: number): { value: number; length: number; shortest: boolean } | undefined {
  let value = 0;
  for (let length = 1; length <= 3; length++) {
    const byte = bytes[at + length - 1];
    if (byte === undefined) return undefined;
    value |= (byte & 0x7f) << (7 * (length - 1));
    if (byte < 0x80) return value > 0xffff ? undefined : { value, length, shortest: length === 1 || byte !== 0 };
  }
  return undefined;
}

/** Reads a message from the front. Returned arrays share its memory. */
class MessageReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw invalidTransaction('the message is cut off or malformed');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  readonly byte = (): number => this.take(1)[0]!;
  readonly key = (): Uint8Array => this.take(32);
  readonly some = (): Uint8Array => this.take(this.#count());

  #count(): number {
    const count = compactU16(this.#bytes, this.#at);
    if (count === undefined) throw invalidTransaction('the message is cut off or malformed');
    if (!count.shortest) throw invalidTransaction('a count in the message is not written in its shortest form');
    this.#at += count.length;
    return count.value;
  }

  list<T>(item: () => T): T[] {
    return Array.from({ length: this.#count() }, item);
  }

  end(): void {
    const left = this.#bytes.length - this.#at;
    if (left > 0) throw invalidTransaction(`${left} bytes follow the message`);
  }
}

function decode(bytes: Uint8Array): Message {
  const first = bytes[0];
  if (first === undefined) throw invalidTransaction('the message is missing');
  if (first > VERSION_0) throw invalidTransaction(`message version ${first - VERSION_0} is not supported: legacy and 0 are`);
  const legacy = first < VERSION_0;
  const reader = new MessageReader(bytes, legacy ? 0 : 1);
  const { byte, key, some } = reader;
  const message = {
    legacy,
    requiredSignatures: byte(),
    readonlySigned: byte(),
    readonlyUnsigned: byte(),
    keys: reader.list(key),
    blockhash: key(),
    instructions: reader.list(() => ({ program: byte(), accounts: some(), data: some() })),
    lookups: legacy ? [] : reader.list(() => ({ key: key(), writable: some(), readonly: some() })),
  };
  reader.end();
  return message;
}

const MOST_ACCOUNTS = 256;

/** The checks of a validator before it runs anything ("sanitize"), and that no key appears twice. */
function check({ requiredSignatures, readonlySigned, readonlyUnsigned, keys, instructions, lookups }: Message): void {
  if (requiredSignatures + readonlyUnsigned > keys.length) throw invalidTransaction('the header counts more keys than there are');
  if (readonlySigned >= requiredSignatures) throw invalidTransaction('the header leaves no writable signer to pay the fee');
  if (new Set(keys.map((key) => toHex(key))).size < keys.length) {
    throw invalidTransaction('an account key occurs twice');
  }
  let accounts = keys.length;
  for (const { writable, readonly } of lookups) {
    if (writable.length + readonly.length === 0) throw invalidTransaction('a lookup table is named, and none of its entries');
    accounts += writable.length + readonly.length;
  }
  if (accounts > MOST_ACCOUNTS) throw invalidTransaction(`more than ${MOST_ACCOUNTS} accounts`);
  instructions.forEach((instruction, i) => {
    const { program } = instruction;
    if (program >= accounts)
      throw invalidTransaction(`instruction ${i}: its program would be account ${program}, which does not exist`);
    if (program >= keys.length) throw invalidTransaction(`instruction ${i}: its program comes from a lookup table`);
    if (program === 0) throw invalidTransaction(`instruction ${i}: its program is the fee payer`);
    const missing = instruction.accounts.find((index) => index >= accounts);
    if (missing !== undefined) throw invalidTransaction(`instruction ${i}: there is no account ${missing}`);
  });
}

/** Reads exactly one legacy or version 0 message, in its one encoding. Throws INVALID_TRANSACTION. */
export function readMessage(bytes: Uint8Array): Message {
  const message = decode(bytes);
  check(message);
  return message;
}
