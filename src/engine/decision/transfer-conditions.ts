import type { Transfer } from '../../chains/shared/transfers.ts';
import { type CompiledExpression, isFalse, MAX_TRANSFER_STEPS, type Request, shareBudget } from '../../policy/index.ts';
import type { ResolvedActivity } from '../activity/decode.ts';
import { elementsOf } from './authorize.ts';

export type TransferCondition = CompiledExpression;

/**
 * Whether a transfer counts by a condition. Without a transfer: whether what cannot be read does. It does not if the condition is false
 * on each element of a batch. A condition that fails, or costs too much, lets it count.
 */
export type CountsBy = (condition: TransferCondition, transfer?: Transfer) => boolean;

function withTransfer(element: Request, { kind, recipient, asset, amount }: Transfer): Request {
  const transfer = { kind, token: asset.token, amount, ...(recipient !== undefined && { recipient }) };
  return { ...element, roots: { ...element.roots, transfer }, keys: new Map() };
}

export async function transferConditions(activity: ResolvedActivity): Promise<CountsBy> {
  const elements = await elementsOf(activity);
  const budget = shareBudget(elements, MAX_TRANSFER_STEPS);
  return (condition, transfer) =>
    elements.length === 0 ||
    budget.left <= 0 ||
    elements.some((element) => !isFalse(condition, transfer === undefined ? element : withTransfer(element, transfer)));
}
