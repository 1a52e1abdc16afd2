import { z } from 'zod';
import type { AppProofs } from '../model/app-proof.ts';

export const AppProof = z.object({
  scheme: z.literal('SIGNATURE_SCHEME_EPHEMERAL_KEY_P256'),
  publicKey: z.string(),
  proofPayload: z.string(),
  signature: z.string(),
});

export const viewAppProofs = ({ publicKey, proofs }: AppProofs): z.output<typeof AppProof>[] =>
  proofs.map(({ payload, signature }) => ({
    scheme: 'SIGNATURE_SCHEME_EPHEMERAL_KEY_P256',
    publicKey,
    proofPayload: payload,
    signature,
  }));
