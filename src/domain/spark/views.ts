/** Spark's parameters as policies see them. A missing one reads as '' or 0. */
import type { SparkDerivation, SparkRecipientParams } from '../../wire/spark.ts';

export function derivationView({ identity, signingLeaf, deposit, staticDeposit }: SparkDerivation) {
  const types = { identity, signing_leaf: signingLeaf, deposit, static_deposit: staticDeposit };
  const [type = 'htlc_preimage'] = Object.entries(types).find(([, variant]) => variant !== undefined) ?? [];
  return {
    type,
    signing_leaf: { leaf_id: signingLeaf?.leafId ?? '' },
    static_deposit: { index: BigInt(staticDeposit?.index ?? 0) },
  };
}

export const recipientsView = ({ threshold, operatorRecipients }: SparkRecipientParams) => ({
  threshold: BigInt(threshold),
  operator_recipients: operatorRecipients.map(({ operatorId, encryptionPublicKey }) => ({
    operator_id: operatorId,
    encryption_public_key: encryptionPublicKey,
  })),
});
