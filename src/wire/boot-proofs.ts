import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { BootProof as Stored } from '../model/app-proof.ts';
import { Timestamp } from './common.ts';

/** The names are those of published clients, which expect a document of AWS. */
export const BootProof = z.object({
  ephemeralPublicKeyHex: z.string(),
  awsAttestationDocB64: z.string(),
  qosManifestB64: z.string(),
  qosManifestEnvelopeB64: z.string(),
  deploymentLabel: z.string(),
  enclaveApp: z.string(),
  owner: z.string(),
  createdAt: Timestamp,
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** No quorum approves the manifest of the service itself. */
export function viewBootProof({
  publicKey,
  appName,
  label,
  manifest,
  attestation,
  createdAt,
}: Stored): z.output<typeof BootProof> {
  return {
    ephemeralPublicKeyHex: publicKey,
    awsAttestationDocB64: attestation.toString('base64'),
    qosManifestB64: base64(manifest),
    qosManifestEnvelopeB64: base64(`{"manifest":${manifest},"manifestSetApprovals":[],"shareSetApprovals":[]}`),
    deploymentLabel: label,
    enclaveApp: appName,
    owner: 'countersign',
    createdAt: wireTimestamp(createdAt),
  };
}
