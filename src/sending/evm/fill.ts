import { Unreachable } from '../../base/errors.ts';
import { type Call, delegateExecution, stationExecution } from '../../chains/ethereum/gas-station.ts';
import { type EvmCall, type EvmRefusal, mayPass } from '../../nodes/evm/calls.ts';
import { type EvmFees, feesFor } from '../../nodes/evm/fees.ts';
import type { EvmNode } from '../../nodes/evm/node.ts';
import { NoNodeError, RpcError } from '../../nodes/types.ts';
import { asUnreachable } from '../no-node.ts';
import { within } from '../within.ts';
import { callingCode } from './calling-code.ts';

type Hex = `0x${string}`;

/** How long nodes have for what a request waits for. */
const PATIENCE_MS = 5000;

/** What the caller gave. */
export type GivenFees = { readonly maxFeePerGas?: bigint | undefined; readonly maxPriorityFeePerGas?: bigint | undefined };

/** Asks a node, for a bounded time. Throws `Unreachable` where none answers. */
export async function asked<T>(node: EvmNode, ask: () => Promise<T>, milliseconds = PATIENCE_MS): Promise<T> {
  const unreachable = (why: string) => new Unreachable(`no RPC endpoint of ${node.caip2} ${why}`);
  try {
    return await within(milliseconds, ask(), () => unreachable('answers in time'));
  } catch (error) {
    if (error instanceof NoNodeError) throw asUnreachable(error);
    if (error instanceof RpcError) throw unreachable('says what gas costs');
    throw error;
  }
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/** What was given, and what is paid now for the rest. Asks nobody if all is given. */
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

/** `from`: the user's account. `sponsor`: who brings its message, and by which contract. */
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

/** More than any transaction may use on chains that have EIP-7825, and those that have no such bound rarely need as much. */
export const MOST_GAS = 1n << 24n;
/** A plain transfer costs exactly as much. */
const TRANSFER_GAS = 21_000n;
/** For an authorization (EIP-7702). */
const AUTHORIZATION_GAS = 25_000n;
/** What an undelegation may use where no node estimates it. */
const UNDELEGATION_GAS = 100_000n;
/** What the delegate and the station need besides the calls: checking the signature, the nonce's slot, finding accounts that are cold. */
const MESSAGE_GAS = 45_000n;
/** For each call, and for each word of its data, which is copied and hashed. */
const CALL_GAS = 1500n;
const WORD_GAS = 60n;

/** The state may have changed when the transaction comes to its block. */
const roomy = (gas: bigint): bigint => smaller((gas * 6n) / 5n, gas > MOST_GAS ? gas : MOST_GAS);

/** As long as a real one, and as costly: no byte of it is zero. */
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

/** What a transaction that brings such a message costs before anything is called: with less, no block has it (EIP-7623, EIP-7702). */
export function leastMessageGas(from: Hex, calls: readonly Call[]): bigint {
  const { zero, other } = bytesIn(stationExecution(from, calls, UNSIGNED));
  const [plain, floor] = [4n * zero + 16n * other, 10n * zero + 40n * other];
  return TRANSFER_GAS + (plain + AUTHORIZATION_GAS > floor ? plain + AUTHORIZATION_GAS : floor);
}

const INVALID = '0xfe';
/** Networks whose nodes were seen to estimate with the code that they are given. */
const takesCodes = new WeakSet<EvmNode>();

/** Some nodes refuse such a question, and some pass over the code in silence: nothing fails there that must. */
async function seesCodes(node: EvmNode, account: Hex): Promise<boolean> {
  if (takesCodes.has(node)) return true;
  const probed = await node.estimateGas({ from: account, to: account }, 'latest', { [account]: INVALID });
  if ('refused' in probed) takesCodes.add(node);
  return 'refused' in probed;
}

/** As if the account ran the code. What may pass is thrown: the same body comes again. */
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

/** What a transaction may use. The state is that of transactions which wait at the node, so that what was sent before counts. */
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
  // The data is not read by the code, but what it costs is counted.
  const call =
    form === 'sponsored'
      ? { from: asks.sponsor.paymaster, to: from, data: stationExecution(from, calls, UNSIGNED) }
      : { from, to: from, data: delegateExecution(calls, UNSIGNED) };
  const estimated = await withCode(node, call, from, callingCode(calls));
  return estimated && 'gas' in estimated ? { gas: roomy(estimated.gas + messageGas(calls)) } : estimated;
}
