/** The operator adds a key to a root user who lost every credential. It waits, and a root user's stamp ends it. */
export type PendingRecovery = {
  activityId: string;
  userId: string;
  /** By the machine's clock: stamped bodies have its time. The other times are the service's. */
  startedAt: number;
  delayMs: number;
  /** Null until the service has told the root users: the delay begins then. */
  effectiveAt: number | null;
  /** The operator's reason for cancelling it. Null: it goes on. */
  cancelled: string | null;
};

/** `refused`: the root quorum refuses every recovery by the operator, for good. */
export type RootRecovery = { refused: boolean; pending: PendingRecovery | null };

/** Topics of the outbox. A cancellation does not queue behind the message that waits for the delay. */
export const RECOVERY_TOPIC = 'root-recovery';
export const CANCEL_TOPIC = 'root-recovery-cancel';

/** The operator's id as a user. No organization has such a user. */
export const OPERATOR_ID = '00000000-0000-8000-8000-000000000001';

/** The organization's row once its recovery has ended. */
export const withoutPending = ({ rootRecovery }: { rootRecovery: RootRecovery | null }): RootRecovery | null =>
  rootRecovery?.refused ? { refused: true, pending: null } : null;
