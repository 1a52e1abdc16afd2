/** A transaction that the service sends. */

/**
 * - `queued`: nothing is signed.
 * - `signed`: it has a nonce, and its signed bytes are stored; certainly nobody has them.
 * - `sent`: a node may have it. Written before the first broadcast, and never taken back to `signed`.
 * - `included`: in a block; back to `sent` if that block falls out.
 * - `final`: in a block that stays. `failed`: nothing of it is, or will be, in a block.
 */
export const SEND_STATES = ['queued', 'signed', 'sent', 'included', 'final', 'failed'] as const;

export type SendState = (typeof SEND_STATES)[number];

export type SendKind = 'evm' | 'solana';

/** `value`: decimal wei. Addresses and data: 0x and lower-case hex. */
export type StoredCall = { to: string; value: string; data: string };

/** Per unit of gas, in decimal wei. */
export type StoredFees = { maxFeePerGas: string; maxPriorityFeePerGas: string } | { gasPrice: string };

/**
 * What is sent: everything that was judged. Nothing else is ever signed, but for the fees of a replacement.
 * - `call`: an ordinary transaction. `batch`: several calls, through the account's delegate; the account pays. `sponsored`: through the gas
 *   station; the paymaster pays. `undelegate`: takes the account's delegate away. `raw`: signed elsewhere.
 */
export type EvmIntent = {
  form: 'call' | 'batch' | 'sponsored' | 'undelegate' | 'raw';
  /** What the organization’s signer is found by; '' for `raw`. */
  signWith: string;
  calls: StoredCall[];
  /** Decimal. Null: the estimate was refused, so that it fails without being signed. */
  gas: string | null;
  fees: StoredFees;
  /** Then no replacement pays more, unless a stamped activity says so. */
  feesGiven: boolean;
  /** Decimal; null: not given. */
  nonce: string | null;
  gasStationNonce: string | null;
  /** Seconds since 1970, decimal. */
  deadline: string | null;
  /** For `raw`: 0x and hex. */
  signed?: string;
  /** Why the estimate was refused; `data`: what the call reverted with, 0x and hex. */
  refused?: { message: string; data?: string };
  /** For `batch` and `sponsored`: the contract that the account is delegated to. */
  delegate?: string;
  /** For `sponsored`. */
  station?: string;
  /** What it may pay besides its gas, in decimal wei, where chains ask for that. */
  dataFee?: string;
};

/** Solana's own: `src/sending/solana` knows its form. */
export type SolanaIntent = { [member: string]: unknown };

export type SendIntent = EvmIntent | SolanaIntent;

/** As it is on the wire: `src/sending/error.ts` makes it. */
export type StoredSendError = { message: string; [member: string]: unknown };

/** What a stamped activity asks for. The account's owner carries it out. */
export type SendWish = {
  what: 'cancel' | 'speed-up';
  activityId: string;
  reason: string;
  /** The most that it may pay for a unit of gas. Without: within the usual bounds. */
  fees?: StoredFees;
};

export type Send = {
  organizationId: string;
  /** The `sendTransactionStatusId`. In the order of acceptance. */
  id: string;
  activityId: string;
  /** The top-level organization. */
  payerId: string;
  /** The network's one canonical name. */
  caip2: string;
  kind: SendKind;
  /** Whose nonce counts, and who pays the fee: the paymaster's if it is sponsored. EVM: 0x and lower-case hex. */
  account: string;
  /** The user's account. */
  fromAddress: string;
  sponsored: boolean;
  intent: SendIntent;
  state: SendState;
  /** Of the account: null until it has one. */
  nonce: number | null;
  /** Of the message that its user signs, at their delegate. A queued one that has it was out with a nonce that another transaction took. */
  messageNonce: number | null;
  /** A message without a given nonce: it is signed after those of its account that were accepted before. */
  ordered: boolean;
  /** Of the attempt that counts; '' before. */
  hash: string;
  /** Of the block that has it. While `sent`: the block in which another transaction was seen to have its nonce. */
  blockNumber: number | null;
  blockHash: string;
  error: StoredSendError | null;
  wish: SendWish | null;
  /**
   * What transactions of it cost whoever pays, in wei, without that of the nonce that it has now: those after which it got another one. Each
   * is counted once, when its block stays.
   */
  spent: string;
  createdAt: number;
  updatedAt: number;
  /** Queued ones are taken in this order. Of others: when it is to be looked at again. */
  dueAt: number;
  /** Rises with each change. */
  version: number;
};

/** What changes after a send was accepted. */
export type SendChange = Partial<
  Pick<Send, 'state' | 'nonce' | 'messageNonce' | 'hash' | 'blockNumber' | 'blockHash' | 'error' | 'wish' | 'spent' | 'dueAt'>
>;

/** A signed transaction of a send. A later one has the same nonce and replaces those before it. */
export type SendAttempt = {
  organizationId: string;
  sendId: string;
  /** From 1. */
  number: number;
  /**
   * `cancel`: to the account itself, without value, so that its nonce is used up. `gap`: the same for a nonce before it that another
   * transaction had, and has no more.
   */
  purpose: 'send' | 'cancel' | 'gap';
  nonce: number | null;
  signed: Buffer;
  hash: string;
  fees: StoredFees | null;
  /** Whether a node may have it, once its send is `sent`. */
  mayBeSent: boolean;
  /** What nodes last said of it. */
  said: string;
  /** Solana: the block height after which it cannot be in a block any more. */
  lastValidBlockHeight: number | null;
  createdAt: number;
};

/** One account on one network. It has one owner among all processes, for as long as its lease lasts. */
export type SendAccount = {
  caip2: string;
  account: string;
  kind: SendKind;
  /** The next nonce that is free; null: not known yet. */
  nextNonce: number | null;
  /** Its next nonce after an authorization that another account brought, in the block `knownBlock`; null: there is none. */
  knownNonce: number | null;
  knownBlock: number | null;
  /** How many messages of this account were ever signed to be sent: it only rises. */
  messagesTaken: number;
  /** The account whose transactions bring this one's messages now; ''. */
  messageLane: string;
  /** How many of them are signed and not in a block. */
  messages: number;
  /** Why nothing of it is signed now, for people; ''. */
  waitsFor: string;
  /** A token of a process; ''. */
  owner: string;
  leaseUntil: number;
  dueAt: number;
};

export type AccountKey = Pick<SendAccount, 'caip2' | 'account'>;

/** A send that is due at no time. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Nothing becomes of it any more. */
export const isOver = ({ state }: Pick<Send, 'state'>): boolean => state === 'final' || state === 'failed';

/** On the wire. */
export type SendStatus = 'INITIALIZED' | 'BROADCASTING' | 'INCLUDED' | 'FAILED';

const STATUSES: Readonly<Record<SendState, SendStatus>> = {
  queued: 'INITIALIZED',
  signed: 'INITIALIZED',
  sent: 'BROADCASTING',
  included: 'INCLUDED',
  final: 'INCLUDED',
  failed: 'FAILED',
};

export const statusOfSend = ({ state }: Pick<Send, 'state'>): SendStatus => STATUSES[state];
