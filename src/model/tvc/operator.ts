import { createHash } from 'node:crypto';

/** A holder of keys that approves manifests, or keeps a share of a quorum key. It never changes. */
export type TvcOperator = {
  organizationId: string;
  id: string;
  name: string;
  /** Lower-case hex of an uncompressed P-256 point, as the next. */
  encryptPublicKey: string;
  /** Its approvals verify under this key. */
  signPublicKey: string;
  /** The wallet with its keys, if the service holds them. */
  walletId: string | null;
  /** The path of its keys in the wallet, without the last step. */
  path: string | null;
  createdAt: number;
};

/** Operators of whom `threshold` must agree. It never changes. */
export type TvcOperatorSet = {
  organizationId: string;
  id: string;
  name: string;
  threshold: number;
  operatorIds: readonly string[];
  createdAt: number;
};

/** Equal for sets with the same operators, in any order. */
export const membersDigest = (operatorIds: readonly string[]): string =>
  `sha256:${createHash('sha256')
    .update([...operatorIds].sort().join(' '))
    .digest('hex')}`;

/** Both halves of an operator's key, as the interface shows it. */
export const operatorKey = ({ encryptPublicKey, signPublicKey }: TvcOperator): string => encryptPublicKey + signPublicKey;

export const MOST_OPERATORS = 50;
