import { ANY, type Asset, fee, joined, moved, NOTHING, ONCE, type Reading, unread } from '../shared/transfers.ts';
import { FEES_IN_TOKENS, isTwin, withTwins } from './special-chains.ts';
import { tokenCall } from './token-calls.ts';
import type { EthereumFields } from './transaction-fields.ts';

/** `to`: lower-case hex, '' to create a contract. `data`: 0x and lower-case hex. */
export type EvmCall = { readonly to: string; readonly value: bigint; readonly data: string };

/** What an account signs. `chainId`: 0 for every chain. `fee`: the most that the account pays for gas. Undefined: not known. */
export type EvmSpending = {
  readonly chainId: bigint;
  readonly from: string;
  readonly calls: readonly EvmCall[];
  readonly fee: bigint | undefined;
};

const evmChain = (chainId: bigint): string => (chainId === 0n ? ANY : String(chainId));

const NAMESPACE = 'eip155' as const;

export const erc20 = (chain: string, token: string): Asset => ({ namespace: NAMESPACE, chain, standard: 'erc20', token });
const native = (chain: string): Asset => ({ namespace: NAMESPACE, chain, standard: 'native', token: '' });

/**
 * Addresses of contracts that belong to the chain itself: a few digits, then zeros. Such a contract may take tokens without an
 * allowance: bridges of OP Stack and Tempo's exchange do. Others give an account to another key.
 */
const SYSTEM = /^0x[0-9a-f]{12}0{20}[0-9a-f]{8}$/;

/**
 * `outboundTransfer` of Arbitrum's gateways, also on chains that are made with it. It burns tokens without an allowance. The token that it
 * names is that of the other chain. On Ethereum a gateway needs an approval, which counted.
 */
const BURNS = new Set(['0x7b3a3c8b', '0xd2ce7d65']);

/** What a call that has no known meaning leaves unknown, and why. */
function unknownCall(chain: string, { to, data }: EvmCall): Reading {
  const selector = data.slice(0, 10);
  const unknown = { namespace: NAMESPACE, chain, cause: 'call' } as const;
  const what = `${selector} at ${to} is no call that can be read`;
  if (SYSTEM.test(to) || isTwin(to))
    return unread({ ...unknown, why: `${what}, and a contract of the chain itself may take everything` });
  if (BURNS.has(selector) && chain !== '1')
    return unread({ ...unknown, standard: 'erc20', why: `${what}: a gateway of Arbitrum may take any token` });
  return unread({ ...unknown, standard: 'erc20', token: to, why: what });
}

function callTransfers(chain: string, from: string, { to, value, data }: EvmCall): Reading {
  const isSelf = to === from;
  const paid = moved({
    asset: native(chain),
    kind: 'transfer',
    from,
    recipient: to === '' ? undefined : to,
    amount: isSelf ? 0n : value,
    ...ONCE,
  });
  if (to === '' || data === '0x') return paid;
  if (isSelf) {
    const why = 'the account calls itself: its own code, if it has any, may move everything';
    return unread({ namespace: NAMESPACE, chain, cause: 'call', why });
  }
  const taken = tokenCall(data, from);
  if (taken !== undefined) {
    // An allowance of itself counts: Permit2 takes by it.
    const kept = taken.filter(({ kind, recipient }) => kind !== 'transfer' || recipient !== from);
    return joined([paid, moved(...kept.map(({ token = to, ...rest }) => ({ ...rest, asset: erc20(chain, token) })))]);
  }
  return joined([paid, unknownCall(chain, { to, value, data })]);
}

function feeTransfers(chain: string, from: string, amount: bigint | undefined): Reading {
  if (amount === 0n) return NOTHING;
  if (amount === undefined)
    return unread({ namespace: NAMESPACE, chain, cause: 'fee', why: 'the gas or its price is not known' });
  if (FEES_IN_TOKENS.has(chain)) return { transfers: [], unreadable: [unnamedFee(chain)] };
  const unreadable = chain === ANY ? [...FEES_IN_TOKENS].map(unnamedFee) : [];
  return { transfers: [fee(native(chain), from, amount)], unreadable };
}

export const unnamedFee = (chain: string) =>
  ({
    namespace: NAMESPACE,
    chain,
    standard: 'erc20',
    cause: 'fee',
    why: 'the fee is paid in a token that is not named',
  }) as const;

/** What calls take from their account, and the fee. An approval counts in full when it is granted. */
export function evmTransfers({ chainId, from, calls, fee: most }: EvmSpending): Reading {
  const chain = evmChain(chainId);
  return withTwins(joined([...calls.map((call) => callTransfers(chain, from, call)), feeTransfers(chain, from, most)]));
}

const BLOB_GAS = 131_072n;

/** The most that gas and blobs cost. */
function feeOf({ gas, gasPrice, maxFeePerGas, maxFeePerBlobGas = 0n, blobVersionedHashes = [] }: EthereumFields): bigint {
  return gas * (gasPrice ?? maxFeePerGas ?? 0n) + BLOB_GAS * BigInt(blobVersionedHashes.length) * maxFeePerBlobGas;
}

/** An account gives its code away: whatever the code does is unknown. The zero address takes the code away. */
export function authorizationTransfers({ chainId, address }: { chainId: bigint; address: string }): Reading {
  if (/^0x0{40}$/.test(address)) return NOTHING;
  const why = `an authorization (EIP-7702) lets ${address} run as the account`;
  return unread({ namespace: NAMESPACE, chain: evmChain(chainId), cause: 'authorization', why });
}

/** `from`: lower-case hex. */
export function fieldsTransfers(fields: EthereumFields, from: string): Reading {
  const { chainId = 0n, to, value, data, authorizationList = [] } = fields;
  return joined([
    evmTransfers({ chainId, from, calls: [{ to, value, data }], fee: feeOf(fields) }),
    ...authorizationList.map(({ address }) => authorizationTransfers({ chainId, address })),
  ]);
}
