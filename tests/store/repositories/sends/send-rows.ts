import type { EvmIntent, Send, SendAttempt } from '../../../../src/model/send.ts';
import { idOf, NOW } from '../../names.ts';

export const intentOf = (more: Partial<EvmIntent> = {}): EvmIntent => ({
  form: 'call',
  signWith: `0x${'11'.repeat(20)}`,
  calls: [{ to: `0x${'22'.repeat(20)}`, value: '1', data: '0x' }],
  gas: '21000',
  fees: { maxFeePerGas: '2000000000', maxPriorityFeePerGas: '1000000000' },
  feesGiven: false,
  nonce: null,
  gasStationNonce: null,
  deadline: null,
  ...more,
});

export const sendOf = (organizationId: string, id: string, more: Partial<Send> = {}): Send => ({
  organizationId: idOf(organizationId),
  id: idOf(id),
  activityId: idOf('activity'),
  payerId: idOf(organizationId),
  caip2: 'eip155:31337',
  kind: 'evm',
  account: `account of ${organizationId}`,
  fromAddress: `account of ${organizationId}`,
  sponsored: false,
  intent: intentOf(),
  state: 'queued',
  nonce: null,
  messageNonce: null,
  ordered: false,
  hash: '',
  blockNumber: null,
  blockHash: '',
  error: null,
  wish: null,
  spent: '0',
  createdAt: NOW,
  updatedAt: NOW,
  dueAt: NOW,
  version: 1,
  ...more,
});

export const attemptOf = (organizationId: string, sendId: string, more: Partial<SendAttempt> = {}): SendAttempt => ({
  organizationId: idOf(organizationId),
  sendId: idOf(sendId),
  number: 1,
  purpose: 'send',
  nonce: 0,
  signed: Buffer.from('signed'),
  hash: `hash of ${organizationId}`,
  fees: { maxFeePerGas: '2', maxPriorityFeePerGas: '1' },
  mayBeSent: false,
  said: '',
  lastValidBlockHeight: null,
  createdAt: NOW,
  ...more,
});
