import { ApiError, invalid } from '../../../base/errors.ts';
import type { Call } from '../../../chains/ethereum/gas-station.ts';
import { lookUpSigner } from '../../../domain/keys/signers.ts';
import type { Asking, ResolveContext } from '../../../engine/context.ts';
import type { EvmSponsor, SponsorshipPort, Station } from '../../../engine/ports.ts';
import { topLevelIdOf } from '../../../model/organization.ts';
import type { StoredCall } from '../../../model/send.ts';
import type { SealedSigner } from '../../../store/types.ts';
import type { EvmRefusal } from '../../nodes/evm/calls.ts';
import type { EvmFees } from '../../nodes/evm/fees.ts';
import type { EvmNode } from '../../nodes/evm/node.ts';
import { dataFeeOf } from '../gas/data-fee.ts';
import { asked, estimateGas, fillFees, type GivenFees, leastMessageGas, MOST_GAS } from './fill.ts';

type Hex = `0x${string}`;

/** The caller's request to send from an account. Numbers are decimal. */
export type EvmRequest = {
  readonly form: 'call' | 'batch' | 'sponsored' | 'undelegate';
  /** Checksummed. */
  readonly from: string;
  readonly caip2: string;
  readonly calls: readonly StoredCall[];
  readonly nonce?: string | undefined;
  readonly gasLimit?: string | undefined;
  readonly maxFeePerGas?: string | undefined;
  readonly maxPriorityFeePerGas?: string | undefined;
  readonly deadline?: string | undefined;
  readonly gasStationNonce?: string | undefined;
};

/** The values that were filled in. Without `gas`, the estimate was `refused`. */
export type Filled = {
  readonly node: EvmNode;
  readonly fees: EvmFees;
  readonly gas: bigint | undefined;
  readonly refused: EvmRefusal | undefined;
  /** For `batch` and `sponsored`. */
  readonly contracts: Station | undefined;
  /** For `sponsored`. */
  readonly sponsor: EvmSponsor | undefined;
  /** The most that a replacement pays for a unit of gas, in per cent of the price. */
  readonly feeLimitPercent: number;
  /** For `sponsored`: the most that it may pay besides its gas. */
  readonly dataFee?: bigint;
};

/** A request with the values that were filled in. Neither `filled` nor a `problem`: no node was asked. */
export type EvmPlan = {
  readonly request: EvmRequest;
  readonly signer: SealedSigner | undefined;
  readonly filled?: Filled;
  /** Why it cannot be sent. */
  readonly problem?: ApiError;
};

/** The node of a network, if it is served. */
export function servedNode(nodes: Asking['nodes'], caip2: string, field = 'parameters.caip2'): EvmNode | ApiError {
  const node = nodes.chainNode(caip2);
  if (node?.kind === 'eip155') return node;
  const setting = `RPC_URL_EIP155_${caip2.slice('eip155:'.length)}`;
  return invalid(field, `${caip2} is not served here: its operator can serve it with the setting ${setting}`);
}

export const callsOf = (calls: readonly StoredCall[]): Call[] =>
  calls.map(({ to, value, data }) => ({ to: to as Hex, value: BigInt(value), data: data as Hex }));

const numberOf = (text: string | undefined) => (text === undefined ? undefined : BigInt(text));

/** The caller limited the fees. */
export const isFeeGiven = ({ form, maxFeePerGas, maxPriorityFeePerGas }: EvmRequest): boolean =>
  form !== 'sponsored' && (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined;

export const givenFees = ({ maxFeePerGas, maxPriorityFeePerGas }: EvmRequest): GivenFees => ({
  maxFeePerGas: numberOf(maxFeePerGas),
  maxPriorityFeePerGas: numberOf(maxPriorityFeePerGas),
});

async function estimated(node: EvmNode, request: EvmRequest, sponsor: EvmSponsor | undefined) {
  const { form, gasLimit } = request;
  if (gasLimit !== undefined) return { gas: BigInt(gasLimit) };
  const asks = { from: request.from.toLowerCase() as Hex, calls: callsOf(request.calls) };
  const found = await estimateGas(node, sponsor ? { ...asks, form: 'sponsored', sponsor } : { ...asks, form: form as 'call' });
  if (found !== undefined) return found;
  throw invalid('parameters.gasLimit', `must be given: no RPC endpoint of ${node.caip2} can estimate the gas of a message`);
}

/** A transaction that no node takes, or no block has, would block all other sends that the paymaster pays for. */
function checkGas({ from, calls }: EvmRequest, gas: bigint): void {
  const least = leastMessageGas(from.toLowerCase() as Hex, callsOf(calls));
  if (gas < least)
    throw invalid('parameters.gasLimit', `must be at least ${least}: its transaction costs this much before its first call`);
  if (gas > MOST_GAS) throw invalid('parameters.gasLimit', `must be at most ${MOST_GAS} for a sponsored send, not ${gas}`);
}

/** As many bytes as its transaction has, with room to spare for signatures, an authorization, and words for each call. */
const bytesOf = (calls: readonly StoredCall[]): number => calls.reduce((sum, { data }) => sum + data.length / 2 + 192, 800);

async function fill(node: EvmNode, sponsorship: SponsorshipPort, request: EvmRequest, payerId: string): Promise<Filled> {
  const { form } = request;
  const sponsor = form === 'sponsored' ? await sponsorship.sponsorOf(node, payerId) : undefined;
  const contracts = form === 'batch' ? await sponsorship.stationOf(node) : sponsor;
  // A sponsor pays the current price.
  const prices = fillFees(node, sponsor ? {} : givenFees(request));
  const dataFee = sponsor ? dataFeeOf(node, bytesOf(request.calls)) : 0n;
  const [fees, found, besides] = await Promise.all([prices, estimated(node, request, sponsor), dataFee]);
  if (fees.kind === 'legacy' && form !== 'call')
    throw invalid('parameters.caip2', `${node.caip2} has no EIP-1559 fees, and so no delegated accounts (EIP-7702)`);
  if (sponsor && 'gas' in found) checkGas(request, found.gas);
  const { gas, refused } = { gas: undefined, refused: undefined, ...found };
  return { node, fees, gas, refused, contracts, sponsor, feeLimitPercent: sponsorship.feeLimitPercent, dataFee: besides };
}

/** Looks the account up, and fills in the missing values, if something is decided now. Throws `Unreachable` if no node answers. */
export async function planOf(ctx: ResolveContext, request: EvmRequest): Promise<EvmPlan> {
  const { read, organization, asking } = ctx;
  const signer = await lookUpSigner(read, organization.id, request.from);
  const plan = { request, signer };
  if (signer === undefined || asking === undefined) return plan;
  const node = servedNode(asking.nodes, request.caip2);
  if (node instanceof ApiError) return { ...plan, problem: node };
  try {
    return {
      ...plan,
      filled: await asking.aside(() => asked(node, () => fill(node, asking.sponsorship, request, topLevelIdOf(organization)))),
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...plan, problem: error };
  }
}
