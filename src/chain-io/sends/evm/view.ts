import { TOTALS, totalsOf, viewOf } from '../../../chains/ethereum/transaction.ts';
import type { EthereumFields } from '../../../chains/ethereum/transaction-fields.ts';
import { interfacesOf } from '../../../domain/keys/contract-interfaces.ts';
import { SIGNER_ROOTS, unknownRoots, type ViewContext, viewOfSigner } from '../../../domain/policies/policy-view.ts';
import type { Roots } from '../../../engine/activity/declare.ts';
import type { Station } from '../../../engine/ports.ts';
import { parseCaip2 } from '../../../model/caip2.ts';
import type { StoredCall } from '../../../model/send.ts';
import type { EvmFees } from '../../nodes/evm/fees.ts';
import { type EvmPlan, type EvmRequest, type Filled, givenFees } from './plan.ts';

type Hex = `0x${string}`;

const ROOT = 'eth.tx';
const INTERFACES = 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM';
const ZERO_ADDRESS: Hex = `0x${'00'.repeat(20)}`;

/** The roots that policies see of a send. */
export const SEND_ROOTS = [...SIGNER_ROOTS, ROOT, TOTALS];

/** The visible parts of a plan, or of a replacement. A replacement's fees may be unknown, and count even if a paymaster pays them. */
export type Seen = Pick<EvmPlan, 'signer' | 'problem'> & {
  readonly isReplacement?: true;
  readonly request: Omit<EvmRequest, 'deadline' | 'gasStationNonce'>;
  readonly filled?:
    | (Pick<Filled, 'gas'> & { fees: EvmFees | undefined; contracts: Pick<Station, 'delegate'> | undefined })
    | undefined;
};

/** The interfaces that decode the data of these calls. */
export const interfacesFor = ({ read, organization }: ViewContext, calls: readonly StoredCall[]) =>
  interfacesOf(read, organization.id, INTERFACES, [...new Set(calls.map(({ to }) => to))]);

/** The account's fees for a unit of gas: nothing if it is sponsored. Undefined: no node was asked. */
function feesOf({ request, filled, isReplacement }: Seen): EvmFees | undefined {
  const nothing = { kind: 'eip1559', maxFeePerGas: 0n, maxPriorityFeePerGas: 0n } as const;
  if (request.form === 'sponsored' && !isReplacement) return nothing;
  const { maxFeePerGas, maxPriorityFeePerGas } = givenFees(request);
  if (filled !== undefined) return filled.fees;
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined) return undefined;
  return { kind: 'eip1559', maxFeePerGas, maxPriorityFeePerGas };
}

/** The authorization that the account may sign. Its nonce is known if the transaction's was given. */
function authorizationsOf({ request, filled }: Seen, chainId: bigint) {
  const { form, nonce } = request;
  if (form === 'call') return undefined;
  const address = form === 'undelegate' ? ZERO_ADDRESS : filled?.contracts?.delegate;
  if (address === undefined) return undefined;
  // If the account pays itself, the transaction takes the nonce before.
  const own = nonce === undefined ? undefined : BigInt(nonce) + (form === 'sponsored' ? 0n : 1n);
  return [{ address, chain_id: chainId, ...(own === undefined ? {} : { nonce: own }) }] as EthereumFields['authorizationList'];
}

const FEES = ['gas_price', 'max_fee_per_gas', 'max_priority_fee_per_gas'];

function callView(plan: Seen, { to, value, data }: StoredCall, interfaceText: string | undefined) {
  const { request, filled } = plan;
  const { form, nonce } = request;
  const fees = feesOf(plan);
  const network = parseCaip2(request.caip2);
  if (network?.kind !== 'eip155') throw new Error('a send is on an EVM chain');
  const authorizationList = authorizationsOf(plan, network.chainId);
  const gas = filled?.gas ?? (request.gasLimit === undefined ? undefined : BigInt(request.gasLimit));
  const fields = {
    chainId: network.chainId,
    to,
    value: BigInt(value),
    data: data as Hex,
    ...fees,
    ...(nonce === undefined ? {} : { nonce: BigInt(nonce) }),
    ...(gas === undefined ? {} : { gas }),
    ...(authorizationList && { authorizationList }),
  };
  const plain = fees?.kind === 'legacy' ? 'LEGACY' : 'TYPE_2';
  const view = viewOf({ name: form === 'call' ? plain : 'TYPE_4', fields }, request.from.toLowerCase(), interfaceText);
  // Fees that no node was asked for are unknown, not zero.
  return fees === undefined ? Object.fromEntries(Object.entries(view).filter(([name]) => !FEES.includes(name))) : view;
}

/** A transaction that ends a delegation calls its own account with no data. */
const callsToSee = ({ request }: Seen): readonly StoredCall[] =>
  request.form === 'undelegate' ? [{ to: request.from.toLowerCase(), value: '0', data: '0x' }] : request.calls;

/**
 * The policies' views. For one call it is the transaction itself. For several it is each call, with the rest of the transaction. A
 * transaction that may bring an authorization of the account is of type 4, and lists it.
 */
export async function viewsOf(ctx: ViewContext, plan: Seen): Promise<Roots[]> {
  const { signer, problem } = plan;
  const roots = await viewOfSigner(ctx, signer);
  if (signer === undefined) return [{ ...roots, ...unknownRoots(ROOT, TOTALS) }];
  if (problem !== undefined) {
    const unreadable = () => {
      throw problem;
    };
    return [{ ...roots, [ROOT]: unreadable, [TOTALS]: unreadable }];
  }
  const calls = callsToSee(plan);
  const interfaces = await interfacesFor(ctx, calls);
  const totals = totalsOf(calls.map(({ value }) => BigInt(value)));
  return calls.map((call) => ({
    ...roots,
    [ROOT]: () => callView(plan, call, interfaces.get(call.to)),
    [TOTALS]: totals,
  }));
}
