import { addressFormat } from '../../../chains/index.ts';
import { placeOf, type ScannedAsset, type ScannedTransaction, type ScannedTransfer } from '../../../model/scan.ts';
import type { Reader } from '../../../store/types.ts';
import type { EvmScan, ScannedEvmTransaction, TokenTransfer } from '../../nodes/evm/scan.ts';
import { costOf, type EvmReceipt } from '../../nodes/evm/values.ts';
import type { Assets } from '../assets.ts';

type Watched = Awaited<ReturnType<Reader['watched']['ethereum']>>[number];

/** A transaction of a block that concerns watched addresses. */
export type Concerned = { transaction: ScannedEvmTransaction; tokens: readonly TokenTransfer[]; accounts: readonly Watched[] };

const { normalize } = addressFormat('ADDRESS_FORMAT_ETHEREUM')!;

/** All addresses between which something moved, and those that pay fees. In lower case. */
export function addressesIn({ transactions, transfers }: EvmScan): string[] {
  const all = new Set<string>();
  for (const { from, to, value } of transactions) {
    all.add(from);
    if (to !== undefined && value > 0n) all.add(to);
  }
  for (const { from, to, amount } of transfers) if (amount > 0n) all.add(from).add(to);
  return [...all];
}

/** The transactions of the block that concern watched accounts. */
export function concernedIn({ transactions, transfers }: EvmScan, watched: readonly Watched[]): Concerned[] {
  if (watched.length === 0) return [];
  const by = Map.groupBy(watched, ({ address }) => address.toLowerCase());
  const tokensOf = Map.groupBy(
    transfers.filter(({ amount, from, to }) => amount > 0n && (by.has(from) || by.has(to))),
    ({ transactionHash }) => transactionHash,
  );
  return transactions.flatMap((transaction) => {
    const tokens = tokensOf.get(transaction.hash) ?? [];
    const { from, to, value } = transaction;
    const parties = new Set<string | undefined>([from, ...(value > 0n ? [to] : []), ...tokens.flatMap((t) => [t.from, t.to])]);
    const accounts = [...parties].flatMap((party) => by.get(party as string) ?? []);
    return accounts.length === 0 ? [] : [{ transaction, tokens, accounts }];
  });
}

type Moved = { from: string; to: string; amount: bigint; asset: ScannedAsset };

/** What moved in a successful transaction. One that creates a contract pays that. */
function movedIn(
  { transaction: { from, to: recipient, value }, tokens }: Omit<Concerned, 'accounts'>,
  { contractAddress }: EvmReceipt,
  assets: Assets,
): Moved[] {
  const to = recipient ?? contractAddress;
  const native = assets.native !== undefined && to !== undefined && value > 0n;
  return [
    ...(native ? [{ from, to: to!, amount: value, asset: assets.native! }] : []),
    ...tokens.flatMap(({ token, ...moved }) => {
      const asset = assets.tokens.get(token);
      return asset === undefined ? [] : [{ ...moved, asset }];
    }),
  ];
}

/** The transfers of some addresses, in lower case. */
function transfersOf(moved: readonly Moved[], addresses: readonly string[]): Map<string, ScannedTransfer[]> {
  const by = new Map(addresses.map((address): [string, ScannedTransfer[]] => [address, []]));
  for (const { from, to, amount, asset } of moved) {
    by.get(from)?.push({ direction: 'OUT', asset, amount: String(amount), counterparty: normalize(to) });
    by.get(to)?.push({ direction: 'IN', asset, amount: String(amount), counterparty: normalize(from) });
  }
  return by;
}

type Mined = { caip2: string; block: Pick<EvmScan, 'number' | 'hash' | 'timestamp'>; receipt: EvmReceipt; assets: Assets };

type Account = Pick<Watched, 'organizationId' | 'address'>;

/** A transaction may have thousands of transfers and of accounts: the transfers are walked once for all accounts. */
export function rowsOf<T extends Account>(
  { transaction, tokens }: Omit<Concerned, 'accounts'>,
  accounts: readonly T[],
  { caip2, block, receipt, assets }: Mined,
): { account: T; row: ScannedTransaction }[] {
  const { hash, from, to } = transaction;
  const number = Number(block.number);
  const transfers = transfersOf(
    receipt.succeeded ? movedIn({ transaction, tokens }, receipt, assets) : [],
    accounts.map(({ address }) => address.toLowerCase()),
  );
  const shared = {
    caip2,
    place: placeOf(number, Buffer.from(hash.slice(2, 18), 'hex')),
    transactionHash: hash,
    blockNumber: number,
    blockHash: block.hash,
    blockTime: Number(block.timestamp) * 1000,
    sender: normalize(from),
    recipient: to === undefined ? null : normalize(to),
    signers: null,
    fee: String(costOf(receipt)),
    failed: !receipt.succeeded,
    finalized: false,
  };
  return accounts.map((account) => {
    const { organizationId, address } = account;
    return { account, row: { ...shared, organizationId, address, transfers: transfers.get(address.toLowerCase())! } };
  });
}
