import { invalidTransaction } from '../shared/transaction.ts';
import type { PsbtInput } from './psbt-inputs.ts';
import type { RawOutput, RawTransaction } from './raw-transaction.ts';
import type { Signing } from './sighash.ts';

/** 21 million bitcoins in satoshis: no output, and no sum of them, is worth more. */
const MOST_VALUE = 2_100_000_000_000_000n;

function sum(outputs: readonly RawOutput[], what: string): bigint {
  let total = 0n;
  for (const { value } of outputs) {
    total += value;
    // Looked at after each: no single value may be above it either, and none is negative.
    if (total > MOST_VALUE) throw invalidTransaction(`the ${what} are worth more than 21 million bitcoins`);
  }
  return total;
}

/** Inputs minus outputs, in satoshis: never negative. It is true if the amounts of all inputs are: see `provenAmounts`. */
export function feeOf(inputs: readonly PsbtInput[], transaction: RawTransaction): bigint {
  const spent = inputs.map((input) => input.spent);
  const fee = sum(spent, 'inputs') - sum(transaction.outputs, 'outputs');
  if (fee < 0n) throw invalidTransaction('the outputs are worth more than the inputs');
  return fee;
}

/** An input that the key signs: which one, and how. */
export type Own = { i: number; signing: Signing };

/**
 * For each input, whether its amount is proven: its previous transaction was there and has the txid that is spent, or every
 * signature of this answer is by P2TR, which covers the amounts of all inputs (BIP-341). A signature of segwit version 0 covers
 * the amount of its own input alone (BIP-143): put beside one from an answer with another claim, both would hold. This rests on
 * signatures being made with SIGHASH_ALL and SIGHASH_DEFAULT alone, which fix all inputs and outputs. `own`: not empty.
 */
export function provenAmounts(inputs: readonly PsbtInput[], own: readonly Own[]): boolean[] {
  const covered = own.every(({ signing }) => signing.by === 'taproot');
  return inputs.map((input) => covered || input.hasNonWitnessUtxo);
}
