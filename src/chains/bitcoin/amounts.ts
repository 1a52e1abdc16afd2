import { invalidTransaction } from '../shared/transaction.ts';
import type { PsbtInput } from './psbt-inputs.ts';
import type { RawOutput, RawTransaction } from './raw-transaction.ts';
import type { Signing } from './sighash.ts';

/** 21 million bitcoins in satoshis: the limit of each value and of their sum. */
const MOST_VALUE = 2_100_000_000_000_000n;

function sum(outputs: readonly RawOutput[], what: string): bigint {
  let total = 0n;
  for (const { value } of outputs) {
    total += value;
    // Checked after each addition: values are not negative, so this limits each one too.
    if (total > MOST_VALUE) throw invalidTransaction(`the ${what} are worth more than 21 million bitcoins`);
  }
  return total;
}

/** Inputs minus outputs, in satoshis: never negative. Correct only if all input amounts are: see `provenAmounts`. */
export function feeOf(inputs: readonly PsbtInput[], transaction: RawTransaction): bigint {
  const spent = inputs.map((input) => input.spent);
  const fee = sum(spent, 'inputs') - sum(transaction.outputs, 'outputs');
  if (fee < 0n) throw invalidTransaction('the outputs are worth more than the inputs');
  return fee;
}

/** An input that the key signs: its index and the method. */
export type Own = { i: number; signing: Signing };

/**
 * For each input, whether its amount is proven. It is proven in two cases:
 * - The PSBT has its previous transaction, with the txid that is spent.
 * - Every signature of this answer is P2TR, which covers the amounts of all inputs (BIP-341).
 * A signature of segwit version 0 covers only the amount of its own input (BIP-143). Signatures from answers with different claims
 * could be combined. This relies on signing with SIGHASH_ALL and SIGHASH_DEFAULT only, which fix all inputs and outputs. `own`: not
 * empty.
 */
export function provenAmounts(inputs: readonly PsbtInput[], own: readonly Own[]): boolean[] {
  const covered = own.every(({ signing }) => signing.by === 'taproot');
  return inputs.map((input) => covered || input.hasNonWitnessUtxo);
}
