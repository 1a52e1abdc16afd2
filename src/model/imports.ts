/** What somebody seals a secret to that they bring in: one for each user and kind, and good for one import. */
export type ImportTarget = {
  organizationId: string;
  userId: string;
  kind: 'wallet' | 'private_key';
  id: string;
  /** Lower-case hex, 65 bytes, uncompressed. */
  publicKey: string;
  sealed: Buffer;
  createdAt: number;
};
