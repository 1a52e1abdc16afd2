import type { SignedProof } from '../../model/app-proof.ts';
import { bytes, hex, id, int, json, text } from '../columns.ts';
import { table } from '../table.ts';

export const appProofs = table('app_proofs', {
  organizationId: id(),
  activityId: id(),
  publicKey: hex(),
  proofs: json<readonly SignedProof[]>(),
  createdAt: int(),
});

/** Of the instance: one for each process that signed an app proof. */
export const bootProofs = table('boot_proofs', {
  publicKey: hex(),
  appName: text(),
  label: text(),
  manifest: text(),
  attestation: bytes(),
  createdAt: int(),
});
