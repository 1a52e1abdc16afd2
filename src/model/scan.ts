import type { Asset } from './asset.ts';

/** Up to where a chain was scanned. */
export type ScanPlace = {
  caip2: string;
  /** The last block, or slot, whose transactions are in rows. */
  number: number;
  /** Its hash; '' on Solana. */
  hash: string;
  /** The first block that was scanned. */
  firstNumber: number;
  updatedAt: number;
};

/** A scanned block that may still fall out. */
export type ScanBlock = { caip2: string; number: number; hash: string };

/** Solana: up to where the signatures of an account were read. Those of earlier slots are never read. */
export type ScanCursor = { signature: string; slot: number };

/** Solana: up to where the transactions of one address were read. */
export type ScanAddress = {
  caip2: string;
  address: string;
  /** The newest signature that was read; '' if there is none. */
  lastSignature: string;
  lastSlot: number;
  checkedAt: number;
  /** The same for its token accounts, by their addresses: transfers to them do not name the owner. */
  tokens: Readonly<Record<string, ScanCursor>>;
};

/** An asset as it was configured when the transaction was seen. */
export type ScannedAsset = Pick<Asset, 'caip19' | 'symbol' | 'name' | 'decimals'>;

/** `amount`: decimal, in smallest units, above zero. */
export type ScannedTransfer = { direction: 'IN' | 'OUT'; asset: ScannedAsset; amount: string; counterparty: string };

/** A transaction in a block, as it concerns one wallet account's address. */
export type ScannedTransaction = {
  organizationId: string;
  caip2: string;
  /** As the account has it. */
  address: string;
  /** The order in a history: by block, then by hash. `placeOf` makes it. */
  place: string;
  /** Solana: the signature. */
  transactionHash: string;
  /** Solana: the slot. */
  blockNumber: number;
  blockHash: string;
  /** Milliseconds. */
  blockTime: number;
  /** Solana: the fee payer. */
  sender: string;
  recipient: string | null;
  /** Solana only. */
  signers: readonly { address: string; writable: boolean }[] | null;
  /** Paid by the sender: decimal, in smallest units of the native coin. */
  fee: string;
  failed: boolean;
  /** True if its block counts as final. */
  finalized: boolean;
  transfers: readonly ScannedTransfer[];
};

/** 16 bytes in the form of a UUID: the block's number, then the beginning of the hash's bytes. Texts sort as the bytes do. */
export function placeOf(blockNumber: number, hash: Uint8Array): string {
  const hex = blockNumber.toString(16).padStart(16, '0') + Buffer.from(hash.subarray(0, 8)).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The number of the block of a place. */
export const blockOfPlace = (place: string): number => Number.parseInt(place.replaceAll('-', '').slice(0, 16), 16);

/** The lease of a chain's scanner. */
export const scanLease = (caip2: string): string => `scan ${caip2}`;
