import { errorsOf } from '../../../base/declared-errors.ts';
import { invalid } from '../../../base/errors.ts';
import { usableSigner } from '../../../domain/keys/signers.ts';
import { acceptSend, type NewSend } from '../../../domain/sends/sends.ts';
import type { ExecuteContext } from '../../../engine/context.ts';
import { topLevelIdOf } from '../../../model/organization.ts';
import type { EvmIntent } from '../../../model/send.ts';
import { reserveGas } from '../gas/reserve.ts';
import { bound, mostCost, storedFees } from './fees.ts';
import { type EvmPlan, type EvmRequest, type Filled, isFeeGiven } from './plan.ts';

type Context = Pick<ExecuteContext<'none'>, 'store' | 'organization' | 'activityId' | 'ids' | 'now'>;

const ETHEREUM = 'ADDRESS_FORMAT_ETHEREUM';

/** Stores a send as it was judged. Returns the send's id. */
export async function storeSend(
  ctx: Context,
  send: Pick<NewSend, 'caip2' | 'account' | 'fromAddress' | 'sponsored'> & { intent: EvmIntent },
): Promise<string> {
  const { store, organization, activityId, ids, now } = ctx;
  const id = ids.next();
  const place = { organizationId: organization.id, id, activityId, payerId: topLevelIdOf(organization) };
  await acceptSend(store, { ...place, ...send, kind: 'evm' }, now);
  return id;
}

function intentOf(request: EvmRequest, { fees, gas, refused, contracts, sponsor, dataFee }: Filled): EvmIntent {
  const { form, from, calls, nonce, gasStationNonce, deadline } = request;
  const hasMessage = form === 'batch' || form === 'sponsored';
  return {
    form,
    signWith: from,
    calls: [...calls],
    gas: gas === undefined ? null : String(gas),
    fees: storedFees(fees),
    feesGiven: isFeeGiven(request),
    nonce: nonce ?? null,
    gasStationNonce: (hasMessage && gasStationNonce) || null,
    deadline: (hasMessage && deadline) || null,
    ...(refused && { refused: { message: refused.message, ...(refused.data && { data: refused.data }) } }),
    ...(contracts && { delegate: contracts.delegate }),
    ...(sponsor && { station: sponsor.station }),
    ...(dataFee && { dataFee: String(dataFee) }),
  };
}

/** In `execute`: accepts the plan, and reserves the cost of a sponsored send. Returns the send's id. */
export async function acceptPlan(ctx: Context, { request, signer, filled, problem }: EvmPlan): Promise<string> {
  const { from, deadline } = request;
  const { format } = usableSigner(signer, from, 'parameters.from').signer;
  if (format !== ETHEREUM) throw invalid('parameters.from', `must be an ${ETHEREUM} address, not one of ${format}`);
  if (problem !== undefined) throw problem;
  if (filled === undefined) throw new Error('a send that is decided is filled in');
  if (deadline !== undefined && Number(deadline) * 1000 <= ctx.now)
    throw invalid('parameters.deadline', 'must be later than now, in seconds since 1970');
  const { node, sponsor } = filled;
  const fromAddress = from.toLowerCase();
  const account = sponsor?.paymaster ?? fromAddress;
  const sponsored = sponsor !== undefined;
  const intent = intentOf(request, filled);
  const id = await storeSend(ctx, { caip2: node.caip2, account, fromAddress, sponsored, intent });
  if (sponsor) {
    const units = mostCost(intent, bound(intent, null, sponsor));
    await reserveGas(ctx, { sendId: id, units, price: sponsor.price });
  }
  return id;
}
acceptPlan.errors = errorsOf(usableSigner);
