/** A transaction that the service sends. */

/** `sent` is written before the first broadcast. `CERTAIN` (`chain-io/sends/evm/lane/states.ts`) describes each state. */
export const SEND_STATES = ['queued', 'signed', 'sent', 'included', 'final', 'failed'] as const;

export type SendState = (typeof SEND_STATES)[number];

/** The states that may follow each state, on any chain. A write of any other one throws. */
export const NEXT_STATES: Readonly<Record<SendState, readonly SendState[]>> = {
  queued: ['queued', 'signed', 'sent', 'failed'],
  signed: ['signed', 'sent'],
  sent: ['sent', 'queued', 'included', 'final', 'failed'],
  included: ['included', 'sent', 'final'],
  final: [],
  failed: [],
};

export type SendKind = 'evm' | 'solana';

/** `value`: decimal wei. Addresses and data: 0x and lower-case hex. */
export type StoredCall = { to: string; value: string; data: string };

/** Per unit of gas, in decimal wei. */
export type StoredFees = { maxFeePerGas: string; maxPriorityFeePerGas: string } | { gasPrice: string };

/**
 * All terms of a transaction, as they were judged. Nothing else is ever signed, except the fees of a replacement. The kinds:
 * - `call`: an ordinary transaction.
 * - `batch`: several calls, through the account's delegate. The account pays.
 * - `sponsored`: through the gas station. The paymaster pays.
 * - `undelegate`: removes the account's delegate.
 * - `raw`: signed elsewhere.
 */
export type EvmIntent = Reserving & {
  form: 'call' | 'batch' | 'sponsored' | 'undelegate' | 'raw';
  /** The text by which the organization’s signer is found; '' for `raw`. */
  signWith: string;
  calls: StoredCall[];
  /** Decimal. Null: the node refused the estimate, so that the send fails without being signed. */
  gas: string | null;
  fees: StoredFees;
  /** True if the caller gave the fees. Then no replacement pays more, unless a stamped activity says so. */
  feesGiven: boolean;
  /** Decimal. Null: the caller gave none. */
  nonce: string | null;
  gasStationNonce: string | null;
  /** Seconds since 1970, decimal. */
  deadline: string | null;
  /** For `raw`: 0x and hex. */
  signed?: string;
  /** Why the estimate was refused. `data`: the revert data of the call, 0x and hex. */
  refused?: { message: string; data?: string };
  /** For `batch` and `sponsored`: the contract that the account is delegated to. */
  delegate?: string;
  /** For `sponsored`. */
  station?: string;
  /** The maximum payment besides gas, in decimal wei, on chains that require one. */
  dataFee?: string;
};

/** Velocity controls have entries of its activity, which its outcome settles. */
type Reserving = { reserves?: true };

/** Only `chain-io/sends/solana` knows the form. */
export type SolanaIntent = Reserving & { [member: string]: unknown };

export type SendIntent = EvmIntent | SolanaIntent;

/** In the form of the wire. `src/chain-io/sends/error.ts` makes it. */
export type StoredSendError = { message: string; [member: string]: unknown };

/** The request of a stamped activity. The account's owner carries it out. */
export type SendWish = {
  what: 'cancel' | 'speed-up';
  activityId: string;
  reason: string;
  /** The maximum fees for a unit of gas. Absent: the usual bounds apply. */
  fees?: StoredFees;
};

export type Send = {
  organizationId: string;
  /** The `sendTransactionStatusId`. Ids are in the order of acceptance. */
  id: string;
  activityId: string;
  /** The top-level organization. */
  payerId: string;
  /** The network's one canonical name. */
  caip2: string;
  kind: SendKind;
  /** The account whose nonce is used, and which pays the fee. It is the paymaster's if the send is sponsored. EVM: 0x and lower-case hex. */
  account: string;
  /** The user's account. */
  fromAddress: string;
  sponsored: boolean;
  intent: SendIntent;
  state: SendState;
  /** The account's nonce. Null until the send has one. */
  nonce: number | null;
  /**
   * The nonce of the message that its user signs, at the user's delegate. A queued send that has one was sent before, with an account
   * nonce that another transaction used.
   */
  messageNonce: number | null;
  /** True for a message without a given nonce. It is signed after the account's messages that were accepted before it. */
  ordered: boolean;
  /** Hash of the attempt that counts; '' before there is one. */
  hash: string;
  /** Number of the block that includes the transaction. While `sent`: the block in which another transaction with its nonce was seen. */
  blockNumber: number | null;
  blockHash: string;
  error: StoredSendError | null;
  wish: SendWish | null;
  /**
   * What the payer paid, in wei, for transactions of the send with earlier nonces, after which it got another nonce. The transaction
   * with the current nonce is not included. Each is counted once, when its block stays.
   */
  spent: string;
  createdAt: number;
  updatedAt: number;
  /** Queued sends are taken in this order. For other sends: when to check again. */
  dueAt: number;
  /** Raised with each change. */
  version: number;
};

/** Whether its account signs a message for its delegate, which any party that sees it can bring. */
export const hasMessage = ({ intent }: Pick<Send, 'intent'>): boolean =>
  'form' in intent && (intent.form === 'batch' || intent.form === 'sponsored');

/** Members that change after a send was accepted. */
export type SendChange = Partial<
  Pick<Send, 'state' | 'nonce' | 'messageNonce' | 'hash' | 'blockNumber' | 'blockHash' | 'error' | 'wish' | 'spent' | 'dueAt'>
>;

/** A signed transaction of a send. A later one has the same nonce and replaces the earlier ones. */
export type SendAttempt = {
  organizationId: string;
  sendId: string;
  /** From 1. */
  number: number;
  /**
   * `cancel`: a transaction to the account itself, without value, which uses up the nonce. `gap`: the same for an earlier nonce, which
   * another transaction had but has no more.
   */
  purpose: 'send' | 'cancel' | 'gap';
  nonce: number | null;
  signed: Buffer;
  hash: string;
  fees: StoredFees | null;
  /** Whether a node may have the attempt, once its send is `sent`. */
  mayBeSent: boolean;
  /** The last answer of nodes about the attempt. */
  said: string;
  /** Solana: the block height after which the transaction cannot be in a block any more. */
  lastValidBlockHeight: number | null;
  createdAt: number;
};

/** One account on one network. Among all processes it has at most one owner, until its lease ends. */
export type SendAccount = {
  caip2: string;
  account: string;
  kind: SendKind;
  /** The next free nonce. Null: not known yet. */
  nextNonce: number | null;
  /** The account's next nonce after an authorization in another account's transaction, in the block `knownBlock`. Null: there is none. */
  knownNonce: number | null;
  knownBlock: number | null;
  /** The number of messages of this account that were ever signed for sending. It only rises. */
  messagesTaken: number;
  /** The account whose transactions now carry this account's messages; '' if there is none. */
  messageLane: string;
  /** The number of these messages that are signed and not in a block. */
  messages: number;
  /** Why nothing of the account is signed now, as a text for people; '' if nothing prevents it. */
  waitsFor: string;
  /** A token of the owning process; '' if there is none. */
  owner: string;
  leaseUntil: number;
  dueAt: number;
};

export type AccountKey = Pick<SendAccount, 'caip2' | 'account'>;

/** The due time of a send that is never due. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Whether the send has reached a final state. */
export const isOver = ({ state }: Pick<Send, 'state'>): boolean => state === 'final' || state === 'failed';

/** The states on the wire. */
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
