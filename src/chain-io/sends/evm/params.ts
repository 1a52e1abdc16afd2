import { z } from 'zod';
import { UUID } from '../../../base/ids.ts';
import { HEX_ADDRESS, toChecksumAddress } from '../../../chains/ethereum/address.ts';
import { MOST_CALLS } from '../../../chains/ethereum/gas-station.ts';
import { EvmCaip2 } from '../../../wire/sending.ts';

type Hex = `0x${string}`;

/** Digits of one case have no checksum (ERC-55). */
const isChecked = (text: string): boolean => {
  const digits = text.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() || text === toChecksumAddress(text);
};

const WRONG_CHECKSUM = 'its checksum is wrong: check the address, or write it in lower case';

const address = (otherwise: (text: string) => string) =>
  z
    .string()
    .max(256)
    .superRefine((text, ctx) => {
      if (!HEX_ADDRESS.test(text)) ctx.addIssue({ code: 'custom', message: otherwise(text) });
      else if (!isChecked(text)) ctx.addIssue({ code: 'custom', message: WRONG_CHECKSUM });
    });

const NO_ADDRESS = 'must be an address: 0x and 40 hex digits';

/** Checksummed. */
export const EvmAddress = address(() => NO_ADDRESS).transform(toChecksumAddress);

/** The account that sends, checksummed: of a wallet account or of a private key. */
export const From = address((text) =>
  UUID.test(text) ? 'must be an address: name a private key by one of its addresses, not by its id' : NO_ADDRESS,
).transform(toChecksumAddress);

/** Lower case. */
const To = address((text) =>
  text === ''
    ? 'must be an address: to create a contract, sign with sign_transaction and send with eth_send_raw_transaction'
    : NO_ADDRESS,
).transform((text) => text.toLowerCase() as Hex);

/** A whole number below 2^`bits`, as decimal text. */
const decimal = (bits: number, least = 0n) =>
  z.string().refine((text) => {
    if (!/^(?:0|[1-9]\d{0,77})$/.test(text)) return false;
    const value = BigInt(text);
    return value >= least && value >> BigInt(bits) === 0n;
  }, `must be a whole number from ${least} to 2^${bits} - 1, in decimal digits`);

/** The most bytes of data in a transaction: nodes take transactions of at most 128 KiB. */
const MOST_BYTES = 120_000;

/** 0x and lower case. */
const Data = z
  .string()
  .regex(/^(?:0x)?(?:[0-9a-fA-F]{2})*$/, 'must be hex digits, two for each byte')
  .max(2 + 2 * MOST_BYTES, `must have at most ${MOST_BYTES} bytes`)
  .transform((text) => `0x${text.replace(/^0x/, '').toLowerCase()}` as Hex);

export const callFields = { to: To, value: decimal(256).optional(), data: Data.optional() };

/** Nonces are stored as JavaScript numbers, without loss. */
const Nonce = decimal(53);

const MOST_ON_THE_WIRE = 50;

export const Calls = z
  .array(z.object(callFields))
  .min(1, 'must hold at least one call')
  .max(MOST_ON_THE_WIRE)
  .refine((calls) => calls.length <= MOST_CALLS, `must hold at most ${MOST_CALLS} calls: the delegate contract accepts no more`)
  .refine(
    (calls) => calls.reduce((sum, { data = '0x' }) => sum + data.length / 2 - 1, 0) <= MOST_BYTES,
    `must have at most ${MOST_BYTES} bytes of data in total`,
  );

/** The fields of every transaction of an account. */
export const transactionFields = {
  from: From,
  caip2: EvmCaip2,
  nonce: Nonce.optional(),
  gasLimit: decimal(63, 21_000n).optional(),
  maxFeePerGas: decimal(128).optional(),
  maxPriorityFeePerGas: decimal(128).optional(),
};

/** Further fields of transactions that a message may bring. */
export const messageFields = {
  sponsor: z.boolean().optional(),
  deadline: decimal(32).optional(),
  gasStationNonce: Nonce.optional(),
};

type Fees = { maxFeePerGas?: string | undefined; maxPriorityFeePerGas?: string | undefined };

/** A transaction cannot pay a miner more than it pays in all. */
export function checkFees({ maxFeePerGas, maxPriorityFeePerGas }: Fees, ctx: z.RefinementCtx): void {
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined) return;
  if (!/^\d+$/.test(maxFeePerGas + maxPriorityFeePerGas) || BigInt(maxPriorityFeePerGas) <= BigInt(maxFeePerGas)) return;
  const message = 'must not be greater than maxFeePerGas';
  ctx.addIssue({ code: 'custom', path: ['maxPriorityFeePerGas'], message });
}
