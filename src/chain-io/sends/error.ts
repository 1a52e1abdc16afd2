import { type CallFrame, revertChain, revertedIn } from '../../chains/ethereum/revert-chain.ts';
import { type SolanaFailureFacts, solanaFailure } from '../../chains/solana/failure.ts';
import { interfacesOf } from '../../domain/keys/contract-interfaces.ts';
import type { RevertChainEntry, SendError } from '../../model/send-error.ts';
import type { Reader } from '../../store/types.ts';
import type { EvmNode } from '../nodes/evm/node.ts';

export type { SendError } from '../../model/send-error.ts';

/** The kind of uploaded interface that describes errors of EVM contracts. */
const ETHEREUM = 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM';

const LONGEST_MESSAGE = 1024;
/** The longest revert chain, in characters of JSON: it is stored with its send, and shown in lists. */
const LARGEST_CHAIN = 32_768;

type ErrorReader = Pick<Reader, 'contractInterfaces'>;

/** An error that is one sentence. Nodes' texts arrive without the secrets of their URLs, and may hold anything else. */
export function plainFailure(message: string): SendError {
  const line = message.replace(/\p{Cc}+/gu, ' ').slice(0, LONGEST_MESSAGE);
  return { message: line.toWellFormed() };
}

/** Keeps the outermost and the innermost calls: they tell most. */
function bounded(chain: RevertChainEntry[]): RevertChainEntry[] {
  const kept = [...chain];
  while (kept.length > 1 && JSON.stringify(kept).length > LARGEST_CHAIN) kept.splice(Math.floor(kept.length / 2), 1);
  return kept;
}

/**
 * Why a call reverted, decoded with the interfaces that the organization uploaded. `called`: further contracts that the errors may
 * come from.
 */
export async function evmFailure(
  read: ErrorReader,
  organizationId: string,
  frame: CallFrame,
  called: readonly string[] = [],
): Promise<SendError> {
  const addresses = [...new Set([...revertedIn(frame), ...called])];
  const chain = bounded(revertChain(frame, await interfacesOf(read, organizationId, ETHEREUM, addresses)));
  const cause = chain.at(-1);
  if (cause === undefined) return plainFailure('execution reverted');
  const { address, displayMessage } = cause;
  const text = displayMessage.startsWith('execution reverted') ? displayMessage : `execution reverted: ${displayMessage}`;
  return { ...plainFailure(address === '' ? text : `${text} (in ${address})`), revertChain: chain };
}

/**
 * Asks the network how a call fails, or how a transaction in a block failed. Returns `otherwise` if no node can say. Never throws
 * because a node does not answer.
 */
export async function evmFailureOf(
  node: Pick<EvmNode, 'failure'>,
  read: ErrorReader,
  organizationId: string,
  of: Parameters<EvmNode['failure']>[0],
  otherwise = 'execution reverted',
): Promise<SendError> {
  const frame = await node.failure(of).catch(() => undefined);
  return frame === undefined ? plainFailure(otherwise) : evmFailure(read, organizationId, frame);
}

/** The error of a Solana transaction that fails, from the facts of a node, a simulation or the chain. */
export const solanaSendError = (facts: SolanaFailureFacts): SendError => solanaFailure(facts);
