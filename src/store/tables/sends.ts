import type {
  SendAccount,
  SendAttempt,
  SendIntent,
  SendKind,
  SendState,
  SendWish,
  StoredFees,
  StoredSendError,
} from '../../model/send.ts';
import { bytes, flag, id, int, json, jsonOrEmpty, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const sends = table('sends', {
  organizationId: id(),
  id: id(),
  activityId: id(),
  payerId: id(),
  caip2: text(),
  kind: text<SendKind>(),
  account: text(),
  fromAddress: text(),
  sponsored: flag(),
  intent: json<SendIntent>(),
  state: text<SendState>(),
  nonce: nullable(int()),
  messageNonce: nullable(int()),
  ordered: flag(),
  hash: text(),
  blockNumber: nullable(int()),
  blockHash: text(),
  error: jsonOrEmpty<StoredSendError>(),
  wish: jsonOrEmpty<SendWish>(),
  spent: text(),
  createdAt: int(),
  updatedAt: int(),
  dueAt: int(),
  version: int(),
});

export const sendAttempts = table('send_attempts', {
  organizationId: id(),
  sendId: id(),
  number: int(),
  purpose: text<SendAttempt['purpose']>(),
  nonce: nullable(int()),
  signed: bytes(),
  hash: text(),
  fees: jsonOrEmpty<StoredFees>(),
  mayBeSent: flag(),
  said: text(),
  lastValidBlockHeight: nullable(int()),
  createdAt: int(),
});

export const sendAccounts = table('send_accounts', {
  caip2: text(),
  account: text(),
  kind: text<SendAccount['kind']>(),
  nextNonce: nullable(int()),
  messagesTaken: int(),
  messageLane: text(),
  messages: int(),
  waitsFor: text(),
  owner: text(),
  leaseUntil: int(),
  dueAt: int(),
});
