/** Keeps what is shown of users from before a transaction changed it: votes show who voted as they were then. */
export type UserVersions = {
  /** A user of this transaction has nothing to keep. */
  isNew(org: string, id: string): void;
  /** Called by every write before it changes what is shown with a user. The first one of the transaction keeps the version. */
  before(org: string, id: string, now: number): Promise<void>;
};
