/** The public key to which the client seals an imported secret. There is one per user and kind, valid for one import. */
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
