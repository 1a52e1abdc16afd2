import { Unreachable } from '../../../base/errors.ts';
import { type Call, delegateExecution, stationExecution } from '../../../chains/ethereum/gas-station.ts';
import { type EvmCall, type EvmRefusal, mayPass } from '../../nodes/evm/calls.ts';
import { type EvmFees, feesFor } from '../../nodes/evm/fees.ts';
import type { EvmNode } from '../../nodes/evm/node.ts';
import { NoNodeError, RpcError } from '../../nodes/types.ts';
import { withDeadline } from '../deadline.ts';
import { asUnreachable } from '../no-node.ts';
import { callingCode } from './calling-code.ts';

type Hex = `0x${string}`;

/** How long nodes have to answer while a request waits. */
const PATIENCE_MS = 5000;

export type GivenFees = { readonly maxFeePerGas?: bigint | undefined; readonly maxPriorityFeePerGas?: bigint | undefined };

/** Asks a node, for a bounded time. Throws `Unreachable` if none answers. */
export async function asked<T>(node: EvmNode, ask: () => Promise<T>, milliseconds = PATIENCE_MS): Promise<T> {
  const unreachable = (why: string) => new Unreachable(`no RPC endpoint of ${node.caip2} ${why}`);
  try {
    return await withDeadline(milliseconds, ask(), () => unreachable('answered in time'));
  } catch (error) {
    if (error instanceof NoNodeError) throw asUnreachable(error);
    if (error instanceof RpcError) throw unreachable('returned gas prices');
    throw error;
  }
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/** The given fees, and current prices for the rest. Asks no node if all fees are given. */
export async function fillFees(node: EvmNode, { maxFeePerGas, maxPriorityFeePerGas }: GivenFees): Promise<EvmFees> {
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined)
    return { kind: 'eip1559', maxFeePerGas, maxPriorityFeePerGas };
  const now = feesFor(await node.prices());
  // A chain without EIP-1559 has one price.
  if (now.kind === 'legacy') return { kind: 'legacy', gasPrice: maxFeePerGas ?? now.gasPrice };
  if (maxFeePerGas !== undefined)
    return { kind: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: smaller(now.maxPriorityFeePerGas, maxFeePerGas) };
  if (maxPriorityFeePerGas === undefined) return now;
  return {
    kind: 'eip1559',
    maxFeePerGas: now.maxFeePerGas - now.maxPriorityFeePerGas + maxPriorityFeePerGas,
    maxPriorityFeePerGas,
  };
}

/** `from`: the user's account. `sponsor`: the paymaster that brings the account's message, and the contract that it calls. */
export type ToEstimate =
  | { readonly form: 'call' | 'batch' | 'undelegate'; readonly from: Hex; readonly calls: readonly Call[] }
  | {
      readonly form: 'sponsored';
      readonly from: Hex;
      readonly calls: readonly Call[];
      readonly sponsor: { paymaster: Hex; station: Hex };
    };

/** Undefined: no node of the network can estimate this form. */
export type Estimated = { readonly gas: bigint } | { readonly refused: EvmRefusal } | undefined;

/** More than any transaction may use on chains that have EIP-7825. Chains without that bound rarely need as much. */
export const MOST_GAS = 1n << 24n;
/** The exact cost of a plain transfer. */
const TRANSFER_GAS = 21_000n;
/** For an authorization (EIP-7702). */
const AUTHORIZATION_GAS = 25_000n;
/** The gas limit of an undelegation where no node estimates it. */
const UNDELEGATION_GAS = 100_000n;
/**
 * The gas of the delegate and the station besides the calls. It pays for the check of the signature, the nonce's slot, and cold
 * accounts.
 */
const MESSAGE_GAS = 45_000n;
/** For each call, and for each word of its data, which is copied and hashed. */
const CALL_GAS = 1500n;
const WORD_GAS = 60n;

/** Adds room: the state may have changed when the transaction gets into its block. */
const roomy = (gas: bigint): bigint => smaller((gas * 6n) / 5n, gas > MOST_GAS ? gas : MOST_GAS);

/** As long and as costly as a real message: none of its bytes is zero. */
const UNSIGNED = { nonce: (1n << 128n) - 1n, deadline: (1n << 32n) - 1n, signature: new Uint8Array(65).fill(0xff) };

function messageGas(calls: readonly Call[]): bigint {
  const each = calls.map(({ data }) => CALL_GAS + WORD_GAS * BigInt(Math.ceil(data.length / 64)));
  return AUTHORIZATION_GAS + MESSAGE_GAS + each.reduce((sum, gas) => sum + gas);
}

const bytesIn = (data: Hex): { zero: bigint; other: bigint } => {
  const bytes = Buffer.from(data.slice(2), 'hex');
  const zero = bytes.reduce((sum, byte) => (byte === 0 ? sum + 1 : sum), 0);
  return { zero: BigInt(zero), other: BigInt(bytes.length - zero) };
};

/** The gas that a transaction with such a message uses before any call. With less, no block takes it (EIP-7623, EIP-7702). */
export function leastMessageGas(from: Hex, calls: readonly Call[]): bigint {
  const { zero, other } = bytesIn(stationExecution(from, calls, UNSIGNED));
  const [plain, floor] = [4n * zero + 16n * other, 10n * zero + 40n * other];
  return TRANSFER_GAS + (plain + AUTHORIZATION_GAS > floor ? plain + AUTHORIZATION_GAS : floor);
}

const INVALID = '0xfe';
/** Networks whose nodes were seen to estimate with the code that the request gives. */
const takesCodes = new WeakSet<EvmNode>();

/**
 * Whether the node estimates with the given code. Some nodes refuse such a question. Others silently ignore the code: then the
 * probe, which must fail, does not.
 */
async function seesCodes(node: EvmNode, account: Hex): Promise<boolean> {
  if (takesCodes.has(node)) return true;
  const probed = await node.estimateGas({ from: account, to: account }, 'latest', { [account]: INVALID });
  if ('refused' in probed) takesCodes.add(node);
  return 'refused' in probed;
}

/** Estimates as if the account ran the code. Temporary errors are thrown: the client sends the same body again. */
async function withCode(node: EvmNode, call: EvmCall, account: Hex, code: Hex): Promise<Estimated> {
  try {
    const [sees, estimated] = await Promise.all([
      seesCodes(node, account),
      node.estimateGas(call, 'pending', { [account]: code }),
    ]);
    return sees ? estimated : undefined;
  } catch (error) {
    if (error instanceof RpcError && !mayPass(error)) return undefined;
    throw error;
  }
}

/** The gas that a transaction may use. The state includes transactions that are pending at the node, so that earlier sends count. */
export async function estimateGas(node: EvmNode, asks: ToEstimate): Promise<Estimated> {
  const { form, from, calls } = asks;
  if (form === 'call') {
    const [{ to, value, data }] = calls as [Call];
    const estimated = await node.estimateGas({ from, to, value, data }, 'pending');
    if ('refused' in estimated || estimated.gas === TRANSFER_GAS) return estimated;
    return { gas: roomy(estimated.gas) };
  }
  if (form === 'undelegate') {
    const estimated = await withCode(node, { from, to: from, data: '0x' }, from, '0x').catch((error) => {
      if (error instanceof RpcError) return undefined;
      throw error;
    });
    return { gas: estimated && 'gas' in estimated ? roomy(estimated.gas + AUTHORIZATION_GAS) : UNDELEGATION_GAS };
  }
  // The code does not read the data, but its cost is counted.
  const call =
    form === 'sponsored'
      ? { from: asks.sponsor.paymaster, to: from, data: stationExecution(from, calls, UNSIGNED) }
      : { from, to: from, data: delegateExecution(calls, UNSIGNED) };
  const estimated = await withCode(node, call, from, callingCode(calls));
  return estimated && 'gas' in estimated ? { gas: roomy(estimated.gas + messageGas(calls)) } : estimated;
}
