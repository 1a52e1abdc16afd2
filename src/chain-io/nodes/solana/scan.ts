import type { AskOne, Endpoints } from '../endpoints.ts';
import { list, Malformed, object, optional, place, text, whole } from '../read.ts';
import { valueIn } from './values.ts';

/** A signature of a transaction that names an account. */
export type SolanaSigned = { readonly signature: string; readonly slot: number };

/** What an account held before and after a transaction. */
export type SolanaChange = { readonly account: string; readonly before: bigint; readonly after: bigint };

export type SolanaTokenChange = {
  readonly owner: string;
  readonly mint: string;
  readonly before: bigint;
  readonly after: bigint;
};

export type SolanaScanned = {
  readonly signature: string;
  readonly slot: number;
  readonly failed: boolean;
  readonly fee: bigint;
  /** The first one pays the fee. */
  readonly signers: readonly { readonly address: string; readonly writable: boolean }[];
  readonly lamports: readonly SolanaChange[];
  readonly tokens: readonly SolanaTokenChange[];
};

/** `time`: Unix seconds; undefined if the node does not know it. */
export type SolanaBlock = { readonly hash: string; readonly time: number | undefined };

/** A page of signatures, from the newest towards older ones. `until`: '' for no end. */
export type SignaturesOf = { account: string; until: string; before?: string; limit?: number };

/**
 * The newest signatures of an account at one endpoint. `from` and `to`: the times of its first and its last final block, in Unix seconds.
 * Undefined: it does not know.
 */
export type SolanaKept = { signatures: SolanaSigned[]; from: number | undefined; to: number | undefined };

export type SolanaScans = {
  /** The latest slot with a commitment. */
  slot(commitment: 'confirmed' | 'finalized'): Promise<number>;
  /** The finalized slots of the endpoints that answer: one may be stuck. */
  finalizedSlots(): Promise<{ least: number; most: number }>;
  /** The number of endpoints in the setting. */
  readonly endpoints: number;
  /** The first slot that is kept, of each endpoint that answers. */
  firstSlots(): Promise<number[]>;
  /** The newest signatures of each account that are newer than `until`, at most a page of each. */
  signatures(of: readonly SignaturesOf[], milliseconds: number): Promise<SolanaSigned[][]>;
  /** What an endpoint keeps of an account: it may have removed older blocks, or not follow the chain. */
  kept(account: string, limit: number, milliseconds: number): Promise<SolanaKept>;
  /** Which of the accounts exist. */
  existing(accounts: readonly string[], milliseconds: number): Promise<Set<string>>;
  /** In their order; undefined for one that the endpoint does not have. */
  transactions(signatures: readonly string[], milliseconds: number): Promise<(SolanaScanned | undefined)[]>;
  blocks(slots: readonly number[], milliseconds: number): Promise<Map<number, SolanaBlock>>;
};

/** The most that nodes give in one answer. */
export const SIGNATURES_PAGE = 1000;
const ACCOUNTS_AT_ONCE = 100;

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

function readSignature(value: unknown): SolanaSigned {
  const { signature, slot } = object(value);
  const named = text(signature);
  if (!SIGNATURE.test(named)) throw new Malformed('no signature');
  return { signature: named, slot: Number(place(slot)) };
}

type TokenBalance = { account: number; owner: string | undefined; mint: string; amount: bigint };

function readTokenBalance(value: unknown): TokenBalance {
  const { accountIndex, owner, mint, uiTokenAmount } = object(value);
  const { amount } = object(uiTokenAmount);
  if (!/^\d{1,20}$/.test(text(amount))) throw new Malformed('no amount');
  return { account: Number(whole(accountIndex)), owner: optional(text)(owner), mint: text(mint), amount: BigInt(text(amount)) };
}

/** By owner and mint. Several token accounts of one mint add up, and a transfer between them is none. */
function tokenChanges(before: readonly TokenBalance[], after: readonly TokenBalance[]): SolanaTokenChange[] {
  const changes = new Map<string, SolanaTokenChange>();
  const add = ({ owner, mint, amount }: TokenBalance, side: 'before' | 'after') => {
    if (owner === undefined) return;
    const name = `${owner} ${mint}`;
    const known = changes.get(name) ?? { owner, mint, before: 0n, after: 0n };
    changes.set(name, { ...known, [side]: known[side] + amount });
  };
  for (const one of before) add(one, 'before');
  for (const one of after) add(one, 'after');
  return [...changes.values()].filter((one) => one.before !== one.after);
}

/** The accounts in the order of balances: those of the message, then those of its look-up tables. */
function accountsOf(keys: unknown, loaded: unknown): string[] {
  const { writable = [], readonly = [] } = object(loaded ?? {});
  return [keys, writable, readonly].flatMap((each) => list(each).map(text));
}

function readScanned(asked: string) {
  return (value: unknown): SolanaScanned => {
    const { slot, meta, transaction } = object(value);
    const { signatures, message } = object(transaction);
    if (list(signatures)[0] !== asked) throw new Malformed('another transaction');
    const { header, accountKeys } = object(message);
    const { err, fee, preBalances, postBalances, preTokenBalances, postTokenBalances, loadedAddresses } = object(meta);
    const { numRequiredSignatures, numReadonlySignedAccounts } = object(header);
    const [signed, readonly] = [Number(whole(numRequiredSignatures)), Number(whole(numReadonlySignedAccounts))];
    const accounts = accountsOf(accountKeys, loadedAddresses);
    const [before, after] = [list(preBalances).map(whole), list(postBalances).map(whole)];
    if (before.length !== accounts.length || after.length !== accounts.length || signed < 1 || signed > accounts.length)
      throw new Malformed('balances of other accounts');
    const tokens = [preTokenBalances, postTokenBalances].map((each) => (optional(list)(each) ?? []).map(readTokenBalance));
    return {
      signature: asked,
      slot: Number(place(slot)),
      failed: (err ?? null) !== null,
      fee: whole(fee),
      signers: accounts.slice(0, signed).map((address, i) => ({ address, writable: i < signed - readonly })),
      lamports: accounts.map((account, i) => ({ account, before: before[i]!, after: after[i]! })),
      tokens: tokenChanges(tokens[0]!, tokens[1]!),
    };
  };
}

function readBlock(value: unknown): SolanaBlock {
  const { blockhash, blockTime } = object(value);
  const time = optional(place)(blockTime);
  return { hash: text(blockhash), time: time === undefined ? undefined : Number(time) };
}

/** One result for each: no question is still awaited after the first failure. */
async function each<A, T>(all: readonly A[], question: (one: A) => Promise<T>): Promise<T[]> {
  const asked = all.map(question);
  await Promise.allSettled(asked);
  return Promise.all(asked);
}

/** Several addresses that are asked about at the same time share HTTP requests. */
const SIGNATURES = Symbol('signatures');
const ACCOUNTS = Symbol('accounts');
const confirmed = { commitment: 'confirmed' };

/** Throws unless the endpoint knows a signature. */
async function requireKnown(ask: AskOne, signature: string): Promise<void> {
  const read = (result: unknown) => {
    if (list(valueIn(result))[0] === null) throw new Malformed('the signature before the page is unknown');
  };
  await ask({ method: 'getSignatureStatuses', params: [[signature], { searchTransactionHistory: true }], read });
}

function signaturesAt(ask: AskOne, of: readonly SignaturesOf[]): Promise<SolanaSigned[][]> {
  const options = { joins: SIGNATURES };
  return each(of, async ({ account, until, before, limit = SIGNATURES_PAGE }) => {
    const edges = { ...(until !== '' && { until }), ...(before !== undefined && { before }) };
    const params = [account, { ...confirmed, limit, ...edges }];
    const read = (result: unknown) => list(result).map(readSignature);
    const page = await ask({ method: 'getSignaturesForAddress', params, read, options });
    // An endpoint that lacks `before` gives an empty page too, and older signatures would be skipped.
    if (page.length === 0 && before !== undefined) await requireKnown(ask, before);
    return page;
  });
}

async function existingAt(ask: AskOne, accounts: readonly string[]): Promise<Set<string>> {
  const options = { joins: ACCOUNTS };
  const parts = Array.from({ length: Math.ceil(accounts.length / ACCOUNTS_AT_ONCE) }, (_, i) =>
    accounts.slice(i * ACCOUNTS_AT_ONCE, (i + 1) * ACCOUNTS_AT_ONCE),
  );
  const found = await each(parts, (part) => {
    const params = [part, { ...confirmed, encoding: 'base64', dataSlice: { offset: 0, length: 0 } }];
    const read = (result: unknown) => {
      const values = list(valueIn(result));
      if (values.length !== part.length) throw new Malformed('other accounts');
      return part.filter((_, i) => values[i] !== null);
    };
    return ask({ method: 'getMultipleAccounts', params, read, options });
  });
  return new Set(found.flat());
}

export function solanaScans(endpoints: Endpoints): SolanaScans {
  const toSlot = (result: unknown) => Number(place(result));
  return {
    slot: (commitment) => endpoints.ask({ method: 'getSlot', params: [{ commitment }], read: toSlot }),
    async finalizedSlots() {
      const params = [{ commitment: 'finalized' }];
      const slots = await endpoints.askAll({ method: 'getSlot', params, read: toSlot });
      return { least: Math.min(...slots), most: Math.max(...slots) };
    },
    endpoints: endpoints.count,
    firstSlots: () => endpoints.askAll({ method: 'getFirstAvailableBlock', params: [], read: toSlot }),
    signatures: (of, milliseconds) => endpoints.askOne((ask) => signaturesAt(ask, of), milliseconds),
    kept: (account, limit, milliseconds) =>
      endpoints.askOne(async (ask) => {
        const timeOf = async (method: string, params: readonly unknown[]) => {
          const slot = await ask({ method, params, read: toSlot });
          return ask({ method: 'getBlockTime', params: [slot], read: optional(toSlot) });
        };
        const to = await timeOf('getSlot', [{ commitment: 'finalized' }]);
        const [signatures = []] = await signaturesAt(ask, [{ account, until: '', limit }]);
        // Last, as old blocks are removed meanwhile.
        return { signatures, from: await timeOf('getFirstAvailableBlock', []), to };
      }, milliseconds),
    existing: (accounts, milliseconds) => endpoints.askOne((ask) => existingAt(ask, accounts), milliseconds),
    transactions: (signatures, milliseconds) =>
      endpoints.askOne((ask) => {
        const options = { joins: Symbol('transactions') };
        return each(signatures, (signature) => {
          const params = [signature, { ...confirmed, encoding: 'json', maxSupportedTransactionVersion: 0 }];
          return ask({ method: 'getTransaction', params, read: optional(readScanned(signature)), options });
        });
      }, milliseconds),
    blocks: (slots, milliseconds) =>
      endpoints.askOne(async (ask) => {
        const options = { joins: Symbol('blocks') };
        const how = { ...confirmed, transactionDetails: 'none', rewards: false, maxSupportedTransactionVersion: 0 };
        const found = await each(slots, (slot) => ask({ method: 'getBlock', params: [slot, how], read: readBlock, options }));
        return new Map(slots.map((slot, i) => [slot, found[i]!]));
      }, milliseconds),
  };
}
