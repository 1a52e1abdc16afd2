import { createHash } from 'node:crypto';
import type { AppProofs, BootProof } from '../../../../src/model/app-proof.ts';
import { idOf, NOW } from '../../names.ts';

/** As long as two points of P-256. */
export const ephemeralKeyOf = (name: string): string => createHash('sha256').update(name).digest('hex').repeat(5).slice(0, 260);

export const appProofsOf = (organizationId: string, activity: string): AppProofs => ({
  organizationId: idOf(organizationId),
  activityId: idOf(activity),
  publicKey: ephemeralKeyOf('process'),
  proofs: [{ payload: '{"type":"APP_PROOF_TYPE_POLICY_OUTCOME"}', signature: '00'.repeat(64) }],
  createdAt: NOW,
});

export const bootProofOf = (process: string): BootProof => ({
  publicKey: ephemeralKeyOf(process),
  appName: 'countersign',
  label: 'countersign-1.0.0',
  manifest: '{}',
  attestation: Buffer.of(0x84),
  createdAt: NOW,
});
