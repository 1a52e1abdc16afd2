import { ApiError } from '../../base/errors.ts';

export type Namespace = 'eip155' | 'solana' | 'bip122' | 'tron';

/** The bytes name no chain, so the signature may be used on each of the namespace. */
export const ANY = 'any';

/**
 * Named as in CAIP-19. `chain`: the reference of CAIP-2, or ANY. `token`: a contract in its one spelling, a mint, or the number of a
 * TRC-10 token; '' for the native coin.
 */
export type Asset = {
  readonly namespace: Namespace;
  readonly chain: string;
  readonly standard: 'native' | 'erc20' | 'token' | 'trc20' | 'trc10';
  readonly token: string;
};

/** An amount that leaves an account by a signature. `approval`: an allowance on the chain. `permit`: a signed message that moves or allows. */
export type Transfer = {
  readonly asset: Asset;
  readonly kind: 'transfer' | 'approval' | 'permit' | 'fee';
  /** The account that is spent. */
  readonly from: string;
  /** Undefined if the bytes do not name it. */
  readonly recipient: string | undefined;
  /** In the smallest unit, above zero. */
  readonly amount: bigint;
  /** The amount may be taken again and again: an allowance without a limit. */
  readonly repeats: boolean;
  /** Seconds since 1970. Absent: no such limit. */
  readonly validity: { readonly after?: bigint; readonly before?: bigint };
};

/**
 * - `transaction`: its bytes cannot be read.
 * - `bytes`: a digest or a message, which may be anything.
 * - `typed-data`: typed data that is not known.
 * - `authorization`: another's code for the account, or another's key.
 * - `call`: an unknown call of a token, or of a contract that may take without an allowance.
 * - `program`: an unknown program, or an unknown instruction of a known one.
 * - `mint`: the token is not in the bytes.
 * - `amount`: the amount is not in the bytes, or not proven.
 * - `fee`: the fee is paid in a token that the bytes do not name, or is not known yet.
 * - `recipient`: the bytes do not name it.
 */
export type Cause =
  | 'transaction'
  | 'bytes'
  | 'typed-data'
  | 'authorization'
  | 'call'
  | 'program'
  | 'mint'
  | 'amount'
  | 'fee'
  | 'recipient';

/** Assets that may leave, unread. A standard or token that is absent: all of them. `why`: for people. */
export type Unreadable = Pick<Asset, 'namespace' | 'chain'> &
  Partial<Pick<Asset, 'standard' | 'token'>> & { readonly cause: Cause; readonly why: string };

/** An asset that is neither in `transfers` nor covered by `unreadable` stays where it is. */
export type Reading = { readonly transfers: readonly Transfer[]; readonly unreadable: readonly Unreadable[] };

export const NOTHING: Reading = { transfers: [], unreadable: [] };

export const unread = (...unreadable: Unreadable[]): Reading => ({ transfers: [], unreadable });

/** Amounts of zero are left out: nothing leaves. */
export const moved = (...transfers: Transfer[]): Reading => ({
  transfers: transfers.filter(({ amount }) => amount > 0n),
  unreadable: [],
});

export const joined = (readings: readonly Reading[]): Reading => ({
  transfers: readings.flatMap(({ transfers }) => transfers),
  unreadable: readings.flatMap(({ unreadable }) => unreadable),
});

export const ONCE = { repeats: false, validity: {} } as const;

/** The fee of an account. */
export const fee = (asset: Asset, from: string, amount: bigint): Transfer => ({
  asset,
  kind: 'fee',
  from,
  recipient: undefined,
  amount,
  ...ONCE,
});

/** Whether these assets include this one. An asset of ANY chain fits each chain of its namespace. */
export function covers(of: Omit<Unreadable, 'cause' | 'why'>, asset: Asset): boolean {
  const { namespace, chain, standard = asset.standard, token = asset.token } = of;
  const sameChain = chain === asset.chain || chain === ANY || asset.chain === ANY;
  return namespace === asset.namespace && sameChain && standard === asset.standard && token === asset.token;
}

/** Reads hostile bytes. It throws nothing: what cannot be read may be all assets of the namespace. */
export function readingOf(namespace: Namespace, read: () => Reading): Reading {
  try {
    return read();
  } catch (error) {
    const why = error instanceof ApiError ? error.message : 'the transaction cannot be read';
    return unread({ namespace, chain: ANY, cause: 'transaction', why });
  }
}
