import { placeOf, type ScanAddress, type ScannedTransaction, type ScanPlace } from '../../../../src/model/scan.ts';
import { NOW } from '../../names.ts';

export const scanPlaceOf = (name: string): ScanPlace => ({
  caip2: `chain of ${name}`,
  number: 1,
  hash: 'a',
  firstNumber: 1,
  updatedAt: NOW,
});

export const scanAddressOf = (name: string): ScanAddress => ({
  caip2: `chain of ${name}`,
  address: 'address',
  lastSignature: '',
  lastSlot: 0,
  checkedAt: NOW,
  tokens: {},
});

export const scannedTransactionOf = (organizationId: string, given: Partial<ScannedTransaction> = {}): ScannedTransaction => ({
  organizationId,
  caip2: 'eip155:1',
  address: 'address',
  place: placeOf(1, new Uint8Array(8)),
  transactionHash: '0x00',
  blockNumber: 1,
  blockHash: 'a',
  blockTime: NOW,
  sender: 'sender',
  recipient: 'address',
  signers: null,
  fee: '1',
  failed: false,
  finalized: false,
  transfers: [
    {
      direction: 'IN',
      asset: { caip19: 'eip155:1/slip44:60', symbol: 'ETH', name: 'Ether', decimals: 18 },
      amount: '1',
      counterparty: 'sender',
    },
  ],
  ...given,
});
