import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import type { StoredFees } from '../../model/send.ts';

/** The most that an activity may pay for each gas, in decimal wei. */
export type GivenFees = { maxFeePerGas?: string | undefined; maxPriorityFeePerGas?: string | undefined };

/** Nodes accept a replacement only if each of its fees is a tenth higher. */
export const raised = (wei: bigint): bigint => (wei * 11n + 9n) / 10n;

const at = (field: string) => `parameters.${field}`;

function requireRaised(field: string, given: bigint, last: bigint): void {
  const least = raised(last);
  if (given < least)
    throw invalid(at(field), `must be at least ${least}: a tenth more than the ${last} of the pending transaction`);
}

/** The fees that may be paid to replace a transaction that pays `last`. Throws REQUEST_INVALID. */
export function raisedFees(last: StoredFees, { maxFeePerGas, maxPriorityFeePerGas }: GivenFees): StoredFees {
  if ('gasPrice' in last) {
    if (maxPriorityFeePerGas !== undefined)
      throw invalid(
        at('maxPriorityFeePerGas'),
        'must be left out: transactions of this network have one gas price, given as maxFeePerGas',
      );
    if (maxFeePerGas === undefined) throw invalid(at('maxFeePerGas'), 'is required');
    requireRaised('maxFeePerGas', BigInt(maxFeePerGas), BigInt(last.gasPrice));
    return { gasPrice: BigInt(maxFeePerGas).toString() };
  }
  const [lastFee, lastTip] = [BigInt(last.maxFeePerGas), BigInt(last.maxPriorityFeePerGas)];
  const fee = maxFeePerGas === undefined ? raised(lastFee) : BigInt(maxFeePerGas);
  const tip = maxPriorityFeePerGas === undefined ? raised(lastTip) : BigInt(maxPriorityFeePerGas);
  requireRaised('maxFeePerGas', fee, lastFee);
  requireRaised('maxPriorityFeePerGas', tip, lastTip);
  if (tip <= fee) return { maxFeePerGas: fee.toString(), maxPriorityFeePerGas: tip.toString() };
  throw maxPriorityFeePerGas === undefined
    ? invalid(at('maxFeePerGas'), `must be at least ${tip}: a replacement raises the tip by a tenth`)
    : invalid(at('maxPriorityFeePerGas'), `must be at most maxFeePerGas, which is ${fee}`);
}
raisedFees.errors = errorsOf('REQUEST_INVALID');
