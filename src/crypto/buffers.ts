/** The same memory as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** An integer 0 … 2^256 − 1 as 32 bytes, big-endian. Throws RangeError outside that range. */
export function uint256(value: bigint): Buffer {
  const text = value.toString(16);
  if (value < 0n || text.length > 64) throw new RangeError('not a number of 256 bits');
  return Buffer.from(text.padStart(64, '0'), 'hex');
}

/** The integer in big-endian bytes. */
export function toBigInt(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${asBuffer(bytes).toString('hex')}`);
}
