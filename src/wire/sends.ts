import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import {
  SEND_STATES,
  type Send,
  type SendAttempt,
  type SendState,
  type SendStatus,
  type SendWish,
  type StoredFees,
  statusOfSend,
} from '../model/send.ts';
import type { SendError } from '../model/send-error.ts';
import { IdOut, Timestamp } from './common.ts';
import { oneOf } from './enums.ts';

export const SendStatusName = oneOf('status', ['INITIALIZED', 'BROADCASTING', 'INCLUDED', 'FAILED'] satisfies SendStatus[]);

/** Why a user cancels a send, or pays more for it. */
export const Reason = z
  .string('reason required: say why')
  .trim()
  .min(1, 'must say why')
  .max(500, 'must have at most 500 characters')
  .regex(/^\P{Cc}*$/u, 'must not have control characters');

/** Fits into 128 bits. */
export const WeiPerGas = z.string().regex(/^(0|[1-9]\d{0,37})$/, 'must be a whole number of wei, in decimal digits, as a string');

export const statesOf = (status: string): SendState[] => SEND_STATES.filter((state) => statusOfSend({ state }) === status);

const RevertEntry = z.object({
  address: z.string(),
  errorType: z.string(),
  displayMessage: z.string(),
  unknown: z.object({ selector: z.string(), data: z.string() }).optional(),
  native: z.object({ nativeType: z.string(), message: z.string(), panicCode: z.string().optional() }).optional(),
  custom: z.object({ errorName: z.string(), paramsJson: z.string() }).optional(),
});

const SolanaFailure = z.object({
  source: z.string(),
  rpcCode: z.int().optional(),
  rpcMessage: z.string().optional(),
  transactionErrorJson: z.string().optional(),
  logs: z.array(z.string()),
  unitsConsumed: z.string().optional(),
  innerInstructionsJson: z.string().optional(),
});

const TxError = z.object({
  message: z.string(),
  revertChain: z.array(RevertEntry),
  eth: z.object({ revertChain: z.array(RevertEntry) }).optional(),
  solana: SolanaFailure.optional(),
});

/** Older clients read the chain from the error itself. */
function viewTxError({ message, revertChain, solana }: SendError): z.output<typeof TxError> {
  return {
    message,
    revertChain: revertChain ?? [],
    ...(revertChain === undefined ? {} : { eth: { revertChain } }),
    ...(solana === undefined ? {} : { solana }),
  };
}

export const SendStatusOut = z.object({
  txStatus: z.string(),
  eth: z.object({ txHash: z.string().optional() }).optional(),
  solana: z.object({ signature: z.string().optional() }).optional(),
  txError: z.string().optional(),
  error: TxError.optional(),
});

/** The hash of a transaction that may have been broadcast. A failed one has none, and neither has one that is only signed. */
const shownHash = ({ state, hash }: Send): string | undefined =>
  hash === '' || state === 'queued' || state === 'signed' || state === 'failed' ? undefined : hash;

export function viewSendStatus(send: Send): z.output<typeof SendStatusOut> {
  const hash = shownHash(send);
  const named = hash === undefined ? {} : send.kind === 'evm' ? { eth: { txHash: hash } } : { solana: { signature: hash } };
  // In the state `sent`, the error is only the reason why a replacement takes its nonce.
  const error = send.state === 'sent' ? null : send.error;
  return {
    txStatus: statusOfSend(send),
    ...named,
    ...(error === null ? {} : { txError: error.message, error: viewTxError(error) }),
  };
}

/** Wei for each gas, of EVM networks: the first two, or the last. */
const Fees = z.object({
  maxFeePerGas: z.string().optional(),
  maxPriorityFeePerGas: z.string().optional(),
  gasPrice: z.string().optional(),
});

const Attempt = Fees.extend({
  number: z.int(),
  /** `send`; `cancel`, which has no effect but uses the nonce; or `gap`, the same for an earlier nonce. */
  purpose: z.string(),
  hash: z.string(),
  createdAt: Timestamp,
});

const Wish = Fees.extend({ what: z.string(), activityId: IdOut, reason: z.string() });

export const SendRow = z.object({
  sendTransactionStatusId: IdOut,
  organizationId: IdOut,
  activityId: IdOut,
  txStatus: z.string(),
  /** The send will not change any more. */
  final: z.boolean(),
  caip2: z.string(),
  from: z.string(),
  /** The account that pays the network: another account if the send is sponsored. */
  account: z.string(),
  sponsored: z.boolean(),
  nonce: z.string().optional(),
  hash: z.string().optional(),
  attempts: z.array(Attempt),
  block: z.object({ number: z.string(), hash: z.string() }).optional(),
  error: TxError.optional(),
  /** What keeps it, or its cancel, from the chain, if it does not simply wait for its turn. */
  waitsFor: z.string().optional(),
  wish: Wish.optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** Other kinds of networks have other fees, which their attempts do not have here. */
const viewFees = (fees: StoredFees | null | undefined): z.output<typeof Fees> => fees ?? {};

const viewAttempt = ({ number, purpose, hash, fees, createdAt }: SendAttempt): z.output<typeof Attempt> => ({
  number,
  purpose,
  hash,
  ...viewFees(fees),
  createdAt: wireTimestamp(createdAt),
});

const viewWish = ({ what, activityId, reason, fees }: SendWish): z.output<typeof Wish> => ({
  what,
  activityId,
  reason,
  ...viewFees(fees),
});

export function viewSend(send: Send, attempts: readonly SendAttempt[], waitsFor = ''): z.output<typeof SendRow> {
  const { nonce, blockNumber, blockHash, error, wish, state } = send;
  const hash = shownHash(send);
  const isIncluded = state === 'included' || state === 'final';
  return {
    sendTransactionStatusId: send.id,
    organizationId: send.organizationId,
    activityId: send.activityId,
    txStatus: statusOfSend(send),
    final: state === 'final' || state === 'failed',
    caip2: send.caip2,
    from: send.fromAddress,
    account: send.account,
    sponsored: send.sponsored,
    ...(nonce === null ? {} : { nonce: String(nonce) }),
    ...(hash === undefined ? {} : { hash }),
    attempts: attempts.map(viewAttempt),
    // While it is pending, the block in which its nonce was seen to be used.
    ...(blockNumber === null || !isIncluded ? {} : { block: { number: String(blockNumber), hash: blockHash } }),
    ...(error === null ? {} : { error: viewTxError(error) }),
    ...(waitsFor === '' ? {} : { waitsFor }),
    ...(wish === null ? {} : { wish: viewWish(wish) }),
    createdAt: wireTimestamp(send.createdAt),
    updatedAt: wireTimestamp(send.updatedAt),
  };
}
