import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createTvcOperator } from './create-tvc-operator.ts';
import { createTvcQuorumKey } from './create-tvc-quorum-key.ts';
import { postTvcQuorumKeyShare } from './post-tvc-quorum-key-share.ts';
import { reEncryptTvcQuorumKeyShare } from './re-encrypt-tvc-quorum-key-share.ts';

export const quorumKeys: readonly ActivityKind[] = [
  createTvcOperator,
  createTvcQuorumKey,
  postTvcQuorumKeyShare,
  reEncryptTvcQuorumKeyShare,
];
