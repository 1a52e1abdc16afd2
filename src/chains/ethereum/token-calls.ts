import { fromHex, toHex, utf8 } from '../../base/bytes.ts';
import { keccak256 } from '../../crypto/hash.ts';
import type { Transfer } from '../shared/transfers.ts';
import { type AbiType, decodeArguments, elementary } from './abi-values.ts';

/** What a call takes from `from`, all addresses in lower-case hex. `token`: absent for the called contract. */
export type Taken = Pick<Transfer, 'kind' | 'from' | 'amount' | 'repeats' | 'validity'> & { recipient: string; token?: string };

const MOST = 2n ** 256n - 1n;
/** Permit2 keeps amounts in 160 bits. */
export const MOST_OF_PERMIT2 = 2n ** 160n - 1n;

/** An allowance of this amount. Tokens do not lower the greatest one when it is used. */
export function allowance(
  kind: 'approval' | 'permit',
  from: string,
  recipient: string,
  amount: bigint,
  { most = MOST, ...validity }: { most?: bigint; before?: bigint } = {},
): Taken {
  const repeats = amount === most;
  return { kind, from, recipient, amount: repeats ? MOST : amount, repeats, validity };
}

/** An allowance of DAI is all or nothing. */
export const allOrNothing = (from: string, recipient: string, isAll: boolean, before: bigint): Taken =>
  allowance('permit', from, recipient, isAll ? MOST : 0n, { before });

export const once = (kind: 'transfer' | 'permit', from: string, recipient: string, amount: bigint, validity = {}): Taken => ({
  kind,
  from,
  recipient,
  amount,
  repeats: false,
  validity,
});

// biome-ignore lint/suspicious/noExplicitAny: the signature of each row gives the types of its arguments.
type Read = (args: any, caller: string) => Taken | undefined;

const transfer: Read = ([to, amount], caller) => once('transfer', caller, to, amount);
const transferFrom: Read = ([from, to, amount]) => once('transfer', from, to, amount);
const permit: Read = ([owner, spender, amount, before]) => allowance('permit', owner, spender, amount, { before });
const daiPermit: Read = ([holder, spender, , expiry, allowed]) => allOrNothing(holder, spender, allowed, expiry);
const authorized: Read = ([from, to, amount, after, before]) => once('transfer', from, to, amount, { after, before });
const nothing: Read = () => undefined;

/** Functions of tokens, by signature: ERC-20, ERC-2612, ERC-3009, DAI, TIP-20 of Tempo, and Permit2, which any contract may copy. */
const FUNCTIONS: readonly (readonly [signature: string, read: Read])[] = [
  ['transfer(address,uint256)', transfer],
  ['transferWithMemo(address,uint256,bytes32)', transfer],
  ['transferFrom(address,address,uint256)', transferFrom],
  [
    'transferFrom(address,address,uint160,address)',
    ([from, to, amount, token]) => ({ ...once('transfer', from, to, amount), token }),
  ],
  ['transferFromWithMemo(address,address,uint256,bytes32)', transferFrom],
  ['approve(address,uint256)', ([spender, amount], caller) => allowance('approval', caller, spender, amount)],
  ['increaseAllowance(address,uint256)', ([spender, amount], caller) => allowance('approval', caller, spender, amount)],
  ['decreaseAllowance(address,uint256)', nothing],
  ['permit(address,address,uint256,uint256,uint8,bytes32,bytes32)', permit],
  ['permit(address,address,uint256,uint256,bytes)', permit],
  ['permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)', daiPermit],
  ['transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)', authorized],
  ['transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)', authorized],
  ['receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)', authorized],
  ['receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)', authorized],
  ['cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)', nothing],
  ['cancelAuthorization(address,bytes32,bytes)', nothing],
  [
    'approve(address,address,uint160,uint48)',
    ([token, spender, amount, before], caller) => ({
      ...allowance('approval', caller, spender, amount, { most: MOST_OF_PERMIT2, before }),
      token,
    }),
  ],
];

type Function = { readonly types: readonly AbiType[]; readonly read: Read };

const bySelector = new Map(
  FUNCTIONS.map(([signature, read]): [string, Function] => {
    const types = signature.slice(signature.indexOf('(') + 1, -1).split(',');
    return [`0x${toHex(keccak256(utf8(signature)).subarray(0, 4))}`, { types: types.map(elementary), read }];
  }),
);

/**
 * What a call of a token takes from its caller. Undefined for an unknown function, and for arguments that no compiler writes: tokens
 * do not agree on their meaning. Tokens of others are taken by an allowance, which counted when it was
 * granted. `data`: 0x and lower-case
 * hex. `caller`: the same.
 */
export function tokenCall(data: string, caller: string): readonly Taken[] | undefined {
  const called = bySelector.get(data.slice(0, 10));
  const bytes = called && fromHex(data.slice(10));
  const args = bytes && decodeArguments(called.types, bytes);
  if (args === undefined) return undefined;
  const taken = called!.read(args, caller);
  return taken === undefined || taken.from !== caller ? [] : [taken];
}
