import { NEVER, type Send, type SendAttempt } from '../../model/send.ts';
import type { Reader, Writer } from '../../store/types.ts';
import { WITHDRAWING_ORGANIZATION } from './quote.ts';

/** The latest withdrawal of a network. `isTold`: its end was reported to the user of the command, so that the next run makes another. */
export type Stored = {
  sendId: string;
  hash: string;
  to: string;
  /** In the smallest unit. */
  amount: string;
  isAll: boolean;
  /** The user who ran the command, and the time. */
  by: string;
  at: string;
  isTold: boolean;
};

const nameOf = (caip2: string): string => `withdrawal ${caip2}`;

/** A withdrawal that an earlier run began, and whose end was not reported. */
export async function openWithdrawal({ instance }: Pick<Reader, 'instance'>, caip2: string): Promise<Stored | undefined> {
  const text = await instance.get(nameOf(caip2));
  const stored = text === undefined ? undefined : (JSON.parse(text) as Stored);
  return stored?.isTold === false ? stored : undefined;
}

const note = ({ instance }: Pick<Writer, 'instance'>, caip2: string, stored: Stored): Promise<void> =>
  instance.put(nameOf(caip2), JSON.stringify(stored));

/**
 * Notes that its end was reported: the next run makes another. Nothing happens if another command saw the end first, and one was
 * made meanwhile.
 */
export async function tell(tx: Writer, { caip2, account, kind }: SendingAccount, { sendId }: Stored): Promise<void> {
  await tx.sendAccounts.lock({ caip2, account, kind });
  const open = await openWithdrawal(tx, caip2);
  if (open?.sendId === sendId) await note(tx, caip2, { ...open, isTold: true });
}

type SendingAccount = Pick<Send, 'caip2' | 'account' | 'kind'>;

type Made = {
  send: Pick<Send, 'id' | 'caip2' | 'kind' | 'account' | 'intent' | 'nonce'>;
  attempt: Pick<SendAttempt, 'signed' | 'hash' | 'fees' | 'lastValidBlockHeight'>;
  stored: Stored;
};

/** How long its command alone gives it to the nodes. */
const FIRST_LOOK_MS = 5_000;

/**
 * Writes a withdrawal as a broadcast send. From then on the lane of the paymaster's account follows it as any other, and signs
 * nothing for it. The fate of this process does not matter. To the lane the paymaster pays for it, so that a transaction that does
 * nothing can take its nonce.
 */
export async function insert(tx: Writer, { send, attempt, stored }: Made, now: number): Promise<void> {
  const { id, account, nonce } = send;
  const { hash } = attempt;
  await tx.sends.insert({
    ...send,
    organizationId: WITHDRAWING_ORGANIZATION,
    activityId: WITHDRAWING_ORGANIZATION,
    payerId: WITHDRAWING_ORGANIZATION,
    fromAddress: account,
    sponsored: true,
    state: 'sent',
    messageNonce: null,
    ordered: false,
    hash,
    blockNumber: null,
    blockHash: '',
    error: null,
    spent: '0',
    wish: null,
    createdAt: now,
    updatedAt: now,
    dueAt: now + FIRST_LOOK_MS,
    version: 1,
  });
  const first = {
    organizationId: WITHDRAWING_ORGANIZATION,
    sendId: id,
    number: 1,
    purpose: 'send',
    mayBeSent: true,
    said: '',
  } as const;
  await tx.sendAttempts.insert({ ...attempt, ...first, nonce, createdAt: now });
  await note(tx, send.caip2, stored);
  // For later investigations: the row above is only the latest one.
  await tx.instance.put(`withdrawn ${stored.at} ${id}`, JSON.stringify({ network: send.caip2, ...stored, isTold: undefined }));
}

/** Ends one that can never be in a block. */
export const end = ({ sends }: Pick<Writer, 'sends'>, send: Send, message: string, now: number): Promise<boolean> =>
  sends.change(send, { state: 'failed', error: { message }, dueAt: NEVER }, now);
