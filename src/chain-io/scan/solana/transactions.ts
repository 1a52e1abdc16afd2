import { base58 } from '@scure/base';
import { placeOf, type ScannedAsset, type ScannedTransaction, type ScannedTransfer } from '../../../model/scan.ts';
import type { SolanaBlock, SolanaScanned } from '../../nodes/solana/scan.ts';
import type { Assets } from '../assets.ts';

/** What one holder gained, or lost if below zero. */
type Change = { holder: string; asset: ScannedAsset; amount: bigint; otherwise: string };

export const feePayerOf = ({ signers }: SolanaScanned): string => signers[0]!.address;

export const placeIn = (slot: number, signature: string): string => placeOf(slot, base58.decode(signature));

/** The fee moved nothing: it is in the history, and in no transfer. A failed transaction moved nothing else. */
function changesIn(transaction: SolanaScanned, { native, tokens }: Assets): Change[] {
  const { failed, fee, lamports, tokens: held } = transaction;
  if (failed) return [];
  const payer = feePayerOf(transaction);
  const coins = lamports.map(({ account, before, after }) => {
    const amount = after - before + (account === payer ? fee : 0n);
    return { holder: account, asset: native!, amount, otherwise: payer };
  });
  const others = held.flatMap(({ owner, mint, before, after }) => {
    const asset = tokens.get(mint);
    return asset === undefined ? [] : [{ holder: owner, asset, amount: after - before, otherwise: mint }];
  });
  return [...(native === undefined ? [] : coins), ...others].filter(({ amount }) => amount !== 0n);
}

/** All addresses that a transaction concerns: its signers, and holders of something that moved. */
export function addressesIn(transaction: SolanaScanned, assets: Assets): string[] {
  if (transaction.failed) return [feePayerOf(transaction)];
  const signers = transaction.signers.map(({ address }) => address);
  return [...new Set([...signers, ...changesIn(transaction, assets).map(({ holder }) => holder)])];
}

const sizeOf = ({ amount }: Change): bigint => (amount < 0n ? -amount : amount);

/** Nodes show balances before and after. Of several counterparties, the one with the largest change is shown. */
function counterpartyOf({ asset, amount, otherwise }: Change, all: readonly Change[]): string {
  const others = all.filter((one) => one.asset.caip19 === asset.caip19 && one.amount < 0n !== amount < 0n);
  if (others.length === 0) return otherwise;
  return others.reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a)).holder;
}

function transfersOf(address: string, all: readonly Change[]): ScannedTransfer[] {
  return all
    .filter(({ holder }) => holder === address)
    .map((change) => ({
      direction: change.amount < 0n ? 'OUT' : 'IN',
      asset: change.asset,
      amount: String(sizeOf(change)),
      counterparty: counterpartyOf(change, all),
    }));
}

type Mined = { caip2: string; block: SolanaBlock; assets: Assets; now: number };

/** The row of a transaction for one address. A node that does not know the time of a block has it only just now. */
export function rowOf(
  transaction: SolanaScanned,
  { organizationId, address }: { organizationId: string; address: string },
  { caip2, block, assets, now }: Mined,
): ScannedTransaction {
  const { signature, slot, failed, fee, signers } = transaction;
  return {
    organizationId,
    caip2,
    address,
    place: placeIn(slot, signature),
    transactionHash: signature,
    blockNumber: slot,
    blockHash: block.hash,
    blockTime: (block.time ?? Math.floor(now / 1000)) * 1000,
    sender: feePayerOf(transaction),
    recipient: null,
    signers,
    fee: String(fee),
    failed,
    finalized: false,
    transfers: transfersOf(address, changesIn(transaction, assets)),
  };
}
