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

/** Whether the signature is void if the amount that is claimed for the input is false. */
const covers = ({ i, signing }: Own, input: number): boolean =>
  // BIP-341 hashes the amounts of all inputs, BIP-143 that of its own, the hash before them none.
  signing.by === 'taproot' || (signing.by === 'segwit' && i === input);

/**
 * For each input, whether its amount is what it says wherever a signature of this answer holds: its previous transaction was
 * there and has the txid that is spent, or each signature covers the amount. One that covers it is not enough: the others
 * could be put beside signatures from an answer with another claim, and all of them would hold. This rests on signatures being
 * made with SIGHASH_ALL and SIGHASH_DEFAULT alone, which fix all inputs and outputs. `own`: not empty.
 */
export function provenAmounts(inputs: readonly PsbtInput[], own: readonly Own[]): boolean[] {
  return inputs.map((input, i) => input.hasNonWitnessUtxo || own.every((one) => covers(one, i)));
}
