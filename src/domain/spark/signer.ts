import type { ResolveContext } from '../../engine/context.ts';
import type { SealedSigner } from '../../store/types.ts';
import { lookUpSigner } from '../keys/signers.ts';
import { SIGNER_ROOTS, viewOfSigner } from '../policies/policy-view.ts';

type Named = { ctx: ResolveContext; intent: { signWith: string } };

/** What all activities of a Spark account declare. */
export const bySparkSigner = {
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  custody: 'spark',
  writes: false,
  policyRoots: SIGNER_ROOTS,
  resolve: ({ ctx: { read, organization }, intent: { signWith } }: Named) => lookUpSigner(read, organization.id, signWith),
  policyView: async ({ ctx, subject }: Named & { subject: SealedSigner | undefined }) => [await viewOfSigner(ctx, subject)],
} as const;
