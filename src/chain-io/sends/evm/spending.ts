import type { EvmSpending } from '../../../chains/ethereum/read-transfers.ts';
import { parseCaip2 } from '../../../model/caip2.ts';
import type { EvmIntent, Send, SendAttempt, StoredFees } from '../../../model/send.ts';
import { bound, dearest, feesOf, priceOf, storedFees } from './fees.ts';
import { type EvmPlan, isFeeGiven } from './plan.ts';

/** The most that the account pays for gas, by this transaction or a replacement. Undefined: no node was asked. */
function mostFee({ request, filled }: EvmPlan): bigint | undefined {
  if (request.form === 'sponsored') return 0n;
  if (filled === undefined) {
    const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = request;
    const isGiven = gasLimit !== undefined && maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined;
    return isGiven ? BigInt(gasLimit) * BigInt(maxFeePerGas) : undefined;
  }
  // Without gas the estimate was refused, and nothing is signed.
  const { gas = 0n, fees } = filled;
  return gas * bound({ fees: storedFees(fees), feesGiven: isFeeGiven(request) }, null, filled);
}

const chainOf = (caip2: string): bigint => {
  const network = parseCaip2(caip2);
  if (network?.kind !== 'eip155') throw new Error('a send is on an EVM chain');
  return network.chainId;
};

/** What a plan takes from its account. */
export function spendingOf(plan: EvmPlan): EvmSpending {
  const { from, caip2, calls } = plan.request;
  const counted = calls.map(({ to, value, data }) => ({ to: to.toLowerCase(), value: BigInt(value), data: data.toLowerCase() }));
  return { chainId: chainOf(caip2), from: from.toLowerCase(), calls: counted, fee: mostFee(plan) };
}

type SpeedUp = {
  send: Send;
  intent: EvmIntent;
  /** All of the send. */
  attempts: readonly SendAttempt[];
  /** Undefined: it stays within the bound that counted already. */
  fees: StoredFees | undefined;
  /** Undefined: unknown. */
  feeLimitPercent: number | undefined;
};

/** What a speed-up takes beyond what its send, and earlier ones, have counted: the difference of the fees. */
export function speedUpSpending({ send, intent, attempts, fees, feeLimitPercent }: SpeedUp): EvmSpending {
  const spending = { chainId: chainOf(send.caip2), from: send.fromAddress, calls: [] };
  if (send.sponsored || fees === undefined || intent.gas === null) return { ...spending, fee: 0n };
  if (feeLimitPercent === undefined) return { ...spending, fee: undefined };
  const settings = { feeLimitPercent };
  const earlier = dearest(attempts.filter(({ purpose }) => purpose === 'send'))?.fees;
  const counted = [
    bound(intent, null, settings),
    ...[send.wish?.fees, earlier].flatMap((one) => (one ? priceOf(feesOf(one)) : [])),
  ];
  const more = priceOf(feesOf(fees)) - counted.reduce((most, one) => (one > most ? one : most), 0n);
  return { ...spending, fee: more > 0n ? BigInt(intent.gas) * more : 0n };
}
