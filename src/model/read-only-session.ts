/** Lets its user read until it expires, without a stamp. Only a keyed hash of its secret is kept. */
export type ReadOnlySession = {
  organizationId: string;
  id: string;
  userId: string;
  secret: Buffer;
  /** Whose IP allow-list counts for its requests. */
  credentialId: string;
  expiresAt: number;
  createdAt: number;
};
