import type { ScanAddress, ScannedTransaction, ScannedTransfer } from '../../model/scan.ts';
import { flag, id, int, json, jsonOrEmpty, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const scanPlaces = table('scan_places', {
  caip2: text(),
  number: int(),
  hash: text(),
  firstNumber: int(),
  updatedAt: int(),
});

export const scanBlocks = table('scan_blocks', { caip2: text(), number: int(), hash: text() });

export const scanAddresses = table('scan_addresses', {
  caip2: text(),
  address: text(),
  lastSignature: text(),
  lastSlot: int(),
  checkedAt: int(),
  tokens: json<ScanAddress['tokens']>(),
});

export const scannedTransactions = table('scanned_transactions', {
  organizationId: id(),
  caip2: text(),
  address: text(),
  place: id(),
  transactionHash: text(),
  blockNumber: int(),
  blockHash: text(),
  blockTime: int(),
  sender: text(),
  recipient: nullable(text()),
  signers: jsonOrEmpty<NonNullable<ScannedTransaction['signers']>>(),
  fee: text(),
  failed: flag(),
  finalized: flag(),
  transfers: json<readonly ScannedTransfer[]>(),
});
