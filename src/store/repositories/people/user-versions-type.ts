/** Stores the visible state of users before a transaction changes it. So votes show their users as of the vote. */
export type UserVersions = {
  /** A user created in this transaction has no earlier version to keep. */
  isNew(org: string, id: string): void;
  /** Every write calls this before it changes the visible state of a user. The first call in a transaction stores the version. */
  before(org: string, id: string, now: number): Promise<void>;
};
