import {
  addCodecSizePrefix,
  type Codec,
  fixCodecSize,
  getArrayCodec,
  getBytesCodec,
  getConstantCodec,
  getHiddenPrefixCodec,
  getShortU16Codec,
  getStructCodec,
  getU8Codec,
} from '@solana/codecs';
import { toHex } from '../../base/bytes.ts';
import { invalidTransaction } from '../transaction.ts';

/** `accounts`: indexes into the keys of the message, then into the keys that are loaded from lookup tables. */
export type Instruction = { program: number; accounts: Uint8Array; data: Uint8Array };

/** A lookup table and which of its entries are loaded. */
export type Lookup = { key: Uint8Array; writable: Uint8Array; readonly: Uint8Array };

/** A message whose indexes and counts are in range. Keys and the blockhash have 32 bytes. */
export type Message = {
  requiredSignatures: number;
  readonlySigned: number;
  readonlyUnsigned: number;
  keys: readonly Uint8Array[];
  blockhash: Uint8Array;
  instructions: readonly Instruction[];
  lookups: readonly Lookup[];
};

/** A count as Solana writes it: 7 bits a byte, least first ("compact-u16"). Also reads what is longer than it need be. */
export const compactU16 = getShortU16Codec();

/** Its type says that what it reads may not be written to; nothing here writes. */
const plainBytes = getBytesCodec() as Codec<Uint8Array>;
const bytes32 = fixCodecSize(plainBytes, 32);
const someBytes = addCodecSizePrefix(plainBytes, compactU16);
const listOf = <F, T extends F>(item: Codec<F, T>): Codec<F[], T[]> =>
  getArrayCodec(item, { size: compactU16, requireSizePrefix: true });

const instructionList = listOf(
  getStructCodec([
    ['program', getU8Codec()],
    ['accounts', someBytes],
    ['data', someBytes],
  ]),
);
const lookupList = listOf(
  getStructCodec([
    ['key', bytes32],
    ['writable', someBytes],
    ['readonly', someBytes],
  ]),
);
const header = [
  ['requiredSignatures', getU8Codec()],
  ['readonlySigned', getU8Codec()],
  ['readonlyUnsigned', getU8Codec()],
  ['keys', listOf(bytes32)],
  ['blockhash', bytes32],
  ['instructions', instructionList],
] as const;

const legacy = getStructCodec([...header]);
const VERSION_0 = 0x80;
const version0 = getHiddenPrefixCodec(getStructCodec([...header, ['lookups', lookupList]]), [
  getConstantCodec(Uint8Array.of(VERSION_0)),
]);

const MOST_ACCOUNTS = 256;

/** Decodes all of `bytes`, which must be the very bytes that the value encodes to. */
function exactly<F, T extends F>(codec: Codec<F, T>, bytes: Uint8Array): T {
  let value: T;
  let end: number;
  try {
    [value, end] = codec.read(bytes, 0);
  } catch {
    throw invalidTransaction('the message is cut off or malformed');
  }
  if (end !== bytes.length) throw invalidTransaction(`${bytes.length - end} bytes follow the message`);
  if (Buffer.compare(codec.encode(value) as Uint8Array, bytes) !== 0) {
    throw invalidTransaction('a count in the message is not written in its shortest form');
  }
  return value;
}

function decode(bytes: Uint8Array): Message {
  const first = bytes[0];
  if (first === undefined) throw invalidTransaction('the message is missing');
  if (first < VERSION_0) return { ...exactly(legacy, bytes), lookups: [] };
  if (first !== VERSION_0) throw invalidTransaction(`message version ${first - VERSION_0} is not supported: legacy and 0 are`);
  return exactly(version0, bytes);
}

/** The checks that a validator makes before it runs anything ("sanitize"), and that no key is there twice. */
function check({ requiredSignatures, readonlySigned, readonlyUnsigned, keys, instructions, lookups }: Message): void {
  if (requiredSignatures + readonlyUnsigned > keys.length) throw invalidTransaction('the header counts more keys than there are');
  if (readonlySigned >= requiredSignatures) throw invalidTransaction('the header leaves no writable signer to pay the fee');
  if (new Set(keys.map((key) => toHex(key))).size < keys.length) {
    throw invalidTransaction('an account key occurs twice');
  }
  let accounts = keys.length;
  for (const { writable, readonly } of lookups) {
    if (writable.length + readonly.length === 0) throw invalidTransaction('a lookup table is named of which no entry is loaded');
    accounts += writable.length + readonly.length;
  }
  if (accounts > MOST_ACCOUNTS) throw invalidTransaction(`more than ${MOST_ACCOUNTS} accounts`);
  instructions.forEach((instruction, i) => {
    const { program } = instruction;
    if (program >= accounts)
      throw invalidTransaction(`instruction ${i}: there is no account ${program}, which is to be its program`);
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
