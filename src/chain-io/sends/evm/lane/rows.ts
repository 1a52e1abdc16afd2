import { type AccountKey, type EvmIntent, NEVER, type Send, type SendAccount, type SendAttempt } from '../../../../model/send.ts';
import type { Reader, Writer } from '../../../../store/types.ts';
import { plainFailure, type SendError } from '../../error.ts';
import type { EvmRow, Rows } from './parts.ts';
import { transition } from './states.ts';

export const evmRow = (send: Send): EvmRow => send as Send & { intent: EvmIntent };

/** The account whose message the send brings, locked until the transaction ends. `row`: the lane’s own account, which is locked already. */
export async function authorityOf(tx: Writer, { caip2, account, fromAddress }: Send, row: SendAccount): Promise<SendAccount> {
  if (fromAddress === account) return row;
  const key = { caip2, account: fromAddress };
  await tx.sendAccounts.lock({ ...key, kind: 'evm' });
  return (await tx.sendAccounts.get(key))!;
}

type AccountChange = Parameters<Writer['sendAccounts']['change']>[1];

/** Changes the account whose message a send brings. `row` then has the change too, if that is the lane's own account. */
export async function changeAuthority(tx: Writer, authority: SendAccount, row: SendAccount, to: AccountChange): Promise<void> {
  await tx.sendAccounts.change(authority, to);
  if (authority.account === row.account) Object.assign(row, to);
}

/** The nonce of an account, by a block that contains its authorization. */
export type KnownNonce = Pick<SendAccount, 'knownNonce' | 'knownBlock'>;

/** Notes that the send's message is no longer pending: the chain tells the next nonce. For a queued send this was noted before. */
export async function endMessage(tx: Writer, send: EvmRow, row: SendAccount, known?: KnownNonce): Promise<void> {
  if (send.messageNonce === null || send.state === 'queued') return;
  const authority = await authorityOf(tx, send, row);
  const messages = Math.max(authority.messages - 1, 0);
  await changeAuthority(tx, authority, row, { messages, messageLane: messages === 0 ? '' : authority.messageLane, ...known });
}

/** Notes that the send's message is pending again. Other messages of the account wait until it is in a block. */
export async function resumeMessage(tx: Writer, send: EvmRow, row: SendAccount): Promise<void> {
  if (send.messageNonce === null) return;
  const authority = await authorityOf(tx, send, row);
  const messages = authority.messages + 1;
  const messageLane = authority.messageLane || send.account;
  await changeAuthority(tx, authority, row, { knownNonce: null, knownBlock: null, messages, messageLane });
}

/** Ends a send of which nothing can be in a block. Its gas is released after the last other write. `isGone`: see `Certain`. */
export async function fail(
  tx: Writer,
  send: EvmRow,
  event: 'cannot be signed' | 'nonce given back' | 'lost',
  error: SendError,
  row: SendAccount,
  now: number,
  isGone?: boolean,
): Promise<EvmRow> {
  const failed = await transition(tx, send, event, { error, dueAt: NEVER, blockNumber: null, blockHash: '' }, now, { isGone });
  await endMessage(tx, send, row);
  return failed;
}

/** Whether the user asked to cancel the send. */
export const isCancelled = ({ wish }: Pick<Send, 'wish'>): boolean => wish?.what === 'cancel';

/** Its calls must not be carried out any more: the user cancelled it, or a node refused it for good. */
export const isDropped = (send: Pick<Send, 'wish' | 'error'>): boolean => isCancelled(send) || send.error !== null;

/** The error of a cancelled send. */
export function cancelled({ wish }: Pick<Send, 'wish'>): SendError {
  if (wish?.what !== 'cancel') return plainFailure('it was not sent');
  const { activityId, reason } = wish;
  return plainFailure(`cancelled by activity ${activityId}${reason === '' ? '' : `: ${reason}`}`);
}

/** The attempts that have the send's current nonce. */
export const current = ({ nonce }: EvmRow, attempts: readonly SendAttempt[]): SendAttempt[] =>
  attempts.filter((one) => one.nonce === nonce && one.purpose !== 'gap');

/** The attempts of several sends, by the sends' ids. */
export async function attemptsOf({ read }: Pick<Rows, 'read'>, sends: readonly EvmRow[]): Promise<Map<string, SendAttempt[]>> {
  const found = new Map<string, SendAttempt[]>();
  for (const [organizationId, own] of Map.groupBy(sends, (send) => send.organizationId)) {
    const ids = own.map(({ id }) => id);
    for (const [id, attempts] of await read.sendAttempts.ofSends(organizationId, ids)) found.set(id, attempts);
  }
  return found;
}

/** Whether the account has signed transactions that may not be in a block. */
export async function hasPending({ sendsOfAccount }: Pick<Reader, 'sendsOfAccount'>, key: AccountKey): Promise<boolean> {
  for (const state of ['signed', 'sent'] as const)
    if ((await sendsOfAccount.byNonce(key, state, { limit: 1 })).length > 0) return true;
  return false;
}

/** The account's row as it is now. */
export const rowOf = async ({ read, key }: Pick<Rows, 'read' | 'key'>): Promise<SendAccount> => {
  const row = await read.sendAccounts.get(key);
  if (row === undefined) throw new Error('an account that is held has a row');
  return row;
};
