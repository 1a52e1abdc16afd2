import { isObject } from '../../../base/json.ts';
import type { Hex } from '../read.ts';
import type { RpcError, SaidError } from '../types.ts';
import { outcomeOf, passes } from './outcomes.ts';

/** A signed EIP-7702 authorization. */
export type EvmAuthorization = { chainId: bigint; address: Hex; nonce: bigint; yParity: 0 | 1; r: Hex; s: Hex };

/** A call as a transaction would make it. */
export type EvmCall = {
  readonly from?: Hex | undefined;
  readonly to?: Hex | undefined;
  readonly data?: Hex | undefined;
  readonly value?: bigint | undefined;
  readonly gas?: bigint | undefined;
  readonly authorizations?: readonly EvmAuthorization[] | undefined;
};

/** Where it is made: on top of this block, or of pending transactions. */
export type EvmAt = 'latest' | 'pending' | 'safe' | 'finalized' | bigint;

export const quantityOf = (value: bigint): Hex => `0x${value.toString(16)}`;
export const atOf = (at: EvmAt): string => (typeof at === 'bigint' ? quantityOf(at) : at);

/** The call as JSON-RPC encodes it. */
export function callOf({ from, to, data, value, gas, authorizations }: EvmCall): Record<string, unknown> {
  const list = authorizations?.map(({ chainId, address, nonce, yParity, r, s }) => ({
    chainId: quantityOf(chainId),
    address,
    nonce: quantityOf(nonce),
    yParity: quantityOf(BigInt(yParity)),
    r,
    s,
  }));
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(data === undefined ? {} : { data }),
    ...(value === undefined ? {} : { value: quantityOf(value) }),
    ...(gas === undefined ? {} : { gas: quantityOf(gas) }),
    ...(list === undefined ? {} : { type: '0x4', authorizationList: list }),
  };
}

/** Accounts that run this code for an estimation. */
export type EvmCodes = { readonly [address: Hex]: Hex };

export const codesOf = (codes: EvmCodes): Record<string, { code: Hex }> =>
  Object.fromEntries(Object.entries(codes).map(([address, code]) => [address, { code }]));

/** Why a call, or an estimation, failed. `data`: the revert data, if the node gives it. */
export type EvmRefusal = {
  readonly why: 'reverted' | 'insufficient funds' | 'gas limit' | 'underpriced' | 'invalid';
  readonly message: string;
  readonly data: Hex | undefined;
};

const LONGEST_DATA = 200_000;

/** Nodes put it in `data`, OpenEthereum after a word, ganache and hardhat in an object of their own. */
export function revertDataOf(said: unknown, depth = 0): Hex | undefined {
  if (typeof said === 'string') {
    const found = /^(?:Reverted )?(0x(?:[0-9a-fA-F]{2})*)$/.exec(said.trim())?.[1];
    return found !== undefined && found.length <= LONGEST_DATA ? (found.toLowerCase() as Hex) : undefined;
  }
  if (!isObject(said) || depth > 3) return undefined;
  for (const inner of [said.data, said.result, said.output, said.originalError, ...Object.values(said).slice(0, 8)]) {
    const found = typeof inner === 'string' || isObject(inner) ? revertDataOf(inner, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Out of gas and the like: the call ends, and nothing is returned. */
const HALTED =
  /out of gas|gas uint64 overflow|invalid (?:opcode|jump)|stack (?:under|over)flow|EVM error|write protection|return data out of bounds|contract creation code|max code size|evm_?halt|processing could not be completed|VM execution error|\brevert(?:ed)?\b|always failing transaction|execution aborted/i;

/** Undefined for an error that says nothing about the call itself. */
export function refusalOf(said: SaidError): EvmRefusal | undefined {
  const { code, message } = said;
  if (code === 3 || HALTED.test(message)) return { why: 'reverted', message, data: revertDataOf(said.data) };
  const outcome = outcomeOf(said);
  if (outcome === 'insufficient funds' || outcome === 'gas limit' || outcome === 'underpriced' || outcome === 'invalid')
    return { why: outcome, message, data: undefined };
  return undefined;
}

export const isRefusal = ({ said }: RpcError): boolean => refusalOf(said) !== undefined;
export const mayPass = ({ said }: RpcError): boolean => passes(said);
