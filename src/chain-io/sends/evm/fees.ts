import type { EvmIntent, SendAttempt, SendWish, StoredFees } from '../../../model/send.ts';
import type { EvmFees } from '../../nodes/evm/fees.ts';

export const feesOf = (stored: StoredFees): EvmFees =>
  'gasPrice' in stored
    ? { kind: 'legacy', gasPrice: BigInt(stored.gasPrice) }
    : {
        kind: 'eip1559',
        maxFeePerGas: BigInt(stored.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(stored.maxPriorityFeePerGas),
      };

export const storedFees = (fees: EvmFees): StoredFees =>
  fees.kind === 'legacy'
    ? { gasPrice: String(fees.gasPrice) }
    : { maxFeePerGas: String(fees.maxFeePerGas), maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas) };

/** The most that the transaction pays for a unit of gas. */
export const priceOf = (fees: EvmFees): bigint => (fees.kind === 'legacy' ? fees.gasPrice : fees.maxFeePerGas);

/** The attempt that pays most: a replacement must outbid it. */
export const dearest = (attempts: readonly SendAttempt[]): SendAttempt | undefined =>
  attempts.reduce<SendAttempt | undefined>(
    (most, one) =>
      one.fees !== null && (most?.fees == null || priceOf(feesOf(one.fees)) >= priceOf(feesOf(most.fees))) ? one : most,
    undefined,
  );

/**
 * The most that a replacement may pay for a unit of gas. Fees that the caller gave are never exceeded, unless a stamped activity
 * says so. A cancel may exceed it to outbid the payment (`nextFees`).
 */
export function bound(
  { fees, feesGiven }: Pick<EvmIntent, 'fees' | 'feesGiven'>,
  wish: SendWish | null,
  { feeLimitPercent }: { feeLimitPercent: number },
): bigint {
  if (wish?.fees !== undefined) return priceOf(feesOf(wish.fees));
  const judged = priceOf(feesOf(fees));
  return feesGiven && wish === null ? judged : (judged * BigInt(feeLimitPercent)) / 100n;
}

/** The gas limit of a transaction that spends the nonce of a message, with an authorization of the account. */
export const VOID_GAS = 100_000n;

/**
 * The most that the send's transaction may cost, in wei, at this price for a unit of gas. It also covers the transaction that voids
 * a sponsored send.
 */
export function mostCost({ form, gas, dataFee }: EvmIntent, price: bigint): bigint {
  const own = BigInt(gas ?? 0);
  const most = form === 'sponsored' && gas !== null && own < VOID_GAS ? VOID_GAS : own;
  return most * price + BigInt(dataFee ?? 0);
}
