import type { QueryKind } from '../../engine/query/declare.ts';
import { getBootProof } from './get-boot-proof.ts';
import { getLatestBootProof } from './get-latest-boot-proof.ts';
import { listAppProofs } from './list-app-proofs.ts';

export const appProofs: readonly QueryKind[] = [getBootProof, getLatestBootProof, listAppProofs];
