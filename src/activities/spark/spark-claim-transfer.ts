import { z } from 'zod';
import { hexBytes } from '../../base/bytes.ts';
import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import { sparkClaimPackage } from '../../chains/spark/policy-types.ts';
import { SparkLeafError } from '../../crypto/spark/leaf-error.ts';
import { comparableAddress, sparkAccount } from '../../domain/spark/account.ts';
import { checkLeaves, checkPoint, checkRecipients, checkSize } from '../../domain/spark/check.ts';
import { leafKeysText, packagesText, recipientsOf } from '../../domain/spark/packages.ts';
import { bySparkSigner } from '../../domain/spark/signer.ts';
import { recipientsView } from '../../domain/spark/views.ts';
import { TRANSFERS_BY_KIND } from '../../domain/transfers/kinds.ts';
import { taken } from '../../domain/transfers/taken.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { SparkClaimParams, SparkLeafPublicKeys, SparkOperatorPackages } from '../../wire/spark.ts';

const FIELD = 'parameters.claim';

export const sparkClaimTransfer = activity({
  kind: 'SPARK_CLAIM_TRANSFER',
  ...bySparkSigner,
  takes: ({ ctx, subject }) => taken(ctx, subject, TRANSFERS_BY_KIND.SPARK_CLAIM_TRANSFER),
  usage: { signatures: 1 },
  summary: 'Take Spark leaves that were transferred to an account: packages for the operators',
  params: v1(SparkClaimParams),
  policyParams: {
    sign_with: [STRING, comparableAddress],
    claim: [
      sparkClaimPackage,
      ({ claim }) => ({
        leaves: claim.leaves.map(({ leafId, ciphertext, senderSignature }) => ({
          leaf_id: leafId,
          ciphertext,
          sender_signature: senderSignature,
        })),
        ...recipientsView(claim),
        transfer_id: claim.transferId,
        sender_identity_public_key: claim.senderIdentityPublicKey,
      }),
    ],
  },
  result: {
    key: 'sparkClaimTransferResult',
    shape: z.object({ operatorPackages: SparkOperatorPackages, newLeafPublicKeys: SparkLeafPublicKeys }),
  },
  errors: [sparkAccount, checkLeaves, checkPoint, checkRecipients, checkSize],
  check({ intent: { claim } }) {
    checkRecipients(claim, FIELD);
    checkPoint(claim.senderIdentityPublicKey, `${FIELD}.senderIdentityPublicKey`);
    checkLeaves(claim.leaves, leafIds(claim), FIELD);
    checkSize(
      leafIds(claim).map(({ length }) => length),
      claim,
      `${FIELD}.leaves`,
    );
  },
  async prepare({ ctx, intent: { signWith, claim } }) {
    const account = await sparkAccount(ctx.read, ctx.organization, signWith);
    const leaves = claim.leaves.map(({ leafId, ciphertext, senderSignature }) => ({
      leafId,
      ciphertext: hexBytes(ciphertext),
      signature: hexBytes(senderSignature),
    }));
    const sender = hexBytes(claim.senderIdentityPublicKey);
    const claimed = ctx.vault.claimTransfer(account, { ...recipientsOf(claim), transferId: claim.transferId, sender, leaves });
    return claimed.catch(unclaimable);
  },
  async execute({ intent: { claim }, prepared: { packages, newLeafPublicKeys } }) {
    return {
      operatorPackages: packagesText(claim, packages),
      newLeafPublicKeys: leafKeysText(leafIds(claim), newLeafPublicKeys),
    };
  },
});

const leafIds = ({ leaves }: { leaves: readonly { leafId: string }[] }): string[] => leaves.map(({ leafId }) => leafId);

function unclaimable(error: unknown): never {
  if (error instanceof SparkLeafError) throw invalid(`${FIELD}.leaves[${error.index}].${error.field}`, error.message);
  throw error;
}
unclaimable.errors = errorsOf('REQUEST_INVALID');
