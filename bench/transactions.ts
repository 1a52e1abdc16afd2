import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';

/** An RLP item of at most 55 bytes. */
function item(bytes: Buffer): Buffer {
  if (bytes.length > 55) throw new RangeError('an RLP item of more than 55 bytes');
  return bytes.length === 1 && bytes[0]! < 0x80 ? bytes : Buffer.concat([Buffer.of(0x80 + bytes.length), bytes]);
}

/** A number as RLP has it: without leading zeros. `bytes`: most significant first. */
function number(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return item(bytes.subarray(start));
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return number(bytes);
}

/** The prefix of a list of `length` bytes, up to 255. */
const listHead = (length: number) => (length > 55 ? Buffer.of(0xf8, length) : Buffer.of(0xc0 + length));

const EIP_1559 = Buffer.of(2);
const GWEI = 1_000_000_000;

/** An unsigned EIP-1559 transfer. `to`: 20 bytes. `value`: wei, below 2^53. */
export function ethereumTransfer(to: Buffer, nonce: number, value: number): Buffer {
  const fields = Buffer.concat([
    numberOf(1),
    numberOf(nonce),
    numberOf(GWEI),
    numberOf(30 * GWEI),
    numberOf(21_000),
    item(to),
    numberOf(value),
    item(Buffer.alloc(0)),
    listHead(0),
  ]);
  return Buffer.concat([EIP_1559, listHead(fields.length), fields]);
}

/** Appends y parity, r and s to the fields of an unsigned transfer, which stay as they are. `signature`: r ‖ s. */
export function signedTransfer(unsigned: Buffer, recovery: number, signature: Buffer): Buffer {
  const fields = unsigned.subarray(unsigned[1]! > 0xf7 ? 3 : 2);
  const added = [numberOf(recovery), number(signature.subarray(0, 32)), number(signature.subarray(32))];
  const length = added.reduce((sum, { length }) => sum + length, fields.length);
  return Buffer.concat([EIP_1559, listHead(length), fields, ...added]);
}

/** Where the message of a transaction with one signer begins: after the number of signatures and the one slot. */
export const SOLANA_MESSAGE = 65;
const SYSTEM_PROGRAM = Buffer.alloc(32);

/** An unsigned legacy transaction: `from` sends lamports to `to`. The blockhash is a new one, so no two are the same. */
export function solanaTransfer(from: string, to: Buffer, lamports: number): Buffer {
  const transfer = Buffer.alloc(12);
  transfer.writeUInt32LE(2);
  transfer.writeBigUInt64LE(BigInt(lamports), 4);
  return Buffer.concat([
    Buffer.of(1),
    Buffer.alloc(64),
    // One signature is required; of the keys without one, the last is read only. Then three keys.
    Buffer.of(1, 0, 1, 3),
    base58.decode(from),
    to,
    SYSTEM_PROGRAM,
    randomBytes(32),
    // One instruction, of the third key's program, with the first two as its accounts.
    Buffer.of(1, 2, 2, 0, 1, transfer.length),
    transfer,
  ]);
}
