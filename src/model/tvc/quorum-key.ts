/** A quorum key, which exists only as shares. It never changes. */
export type TvcQuorumKey = {
  organizationId: string;
  id: string;
  /** Lower-case hex of two uncompressed P-256 points: one to encrypt to, one to verify with. */
  publicKey: string;
  /** The number of shares that give the key. */
  threshold: number;
  /** The holders of shares, in the order of the shares' numbers. */
  operatorIds: readonly string[];
  createdAt: number;
};

/** A share, sealed to the key of its operator. */
export type TvcQuorumShare = {
  organizationId: string;
  quorumKeyId: string;
  /** Lower-case hex of an uncompressed P-256 point. */
  encryptPublicKey: string;
  id: string;
  sealed: Buffer;
};

/** The number of a share is one byte, and never 0. Clients send at most this number of keys. */
export const MOST_SHARES = 254;
