import type { SendAccount, SendKind } from '../../model/send.ts';
import type { Writer } from '../../store/types.ts';

/** Another process has taken the account. Everything under way for it ends, and none of it may be written. */
export class LostAccount extends Error {}

/** An account that this process holds. */
export type Claimed = {
  readonly caip2: string;
  readonly account: string;
  readonly kind: SendKind;
  /**
   * The service's time at which the database became a copy; 0 if it is none. The original may have sent what was accepted earlier, with
   * any nonce or blockhash. So nothing of that is signed with another one.
   */
  readonly copiedAt: number;
  /**
   * A transaction of the account's owner, which also renews the lease. Throws LostAccount if another process has taken the account.
   * `row`: the account, as it is in the transaction. `patienceMs`: how long it may wait to share a commit; a moment by default.
   */
  transaction<T>(work: (tx: Writer, row: SendAccount) => Promise<T>, patienceMs?: number): Promise<T>;
  /** The service stops: end soon, and begin nothing that takes long. */
  readonly signal: AbortSignal;
};

/** When there is something to do again, in milliseconds from now; sooner if it is woken. Undefined: nothing is left. */
export type NextDue = number | undefined;

/** Processes the sends of one kind of networks. */
export type Lane = {
  readonly kind: SendKind;
  /** The networks that it serves here: accounts of other networks are left to other processes. */
  readonly networks: readonly string[];
  /**
   * Does the work that is due for one account, and returns when to come again. Steps of one account never overlap. Errors are
   * logged, and the step is tried again later. Everything it needs to know is in rows.
   */
  step(claimed: Claimed): Promise<NextDue>;
};
