import { z } from 'zod';
import { HashFunction, PayloadEncoding } from './enums.ts';

/** A wallet account's address, a private key's address, or a private key's id. */
export const SignWith = z
  .string()
  .min(1, 'must name a wallet account address, a private key address or a private key id')
  .max(256);

/** Limited only by the size of the body. */
export const Payload = z.string();

export const payloadFields = { encoding: PayloadEncoding, hashFunction: HashFunction };

export const Signature = z.object({ r: z.string(), s: z.string(), v: z.string() });

/** Hex, with or without 0x. */
export const UnsignedTransaction = z.string();
