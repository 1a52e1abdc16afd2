/** Spark's data as policies see it. It is in the parameters of activities. */
import type { EnvironmentPart } from '../../policy/index.ts';
import { oneOf, type Shapes } from '../../policy/language/shapes.ts';
import { INT, listOf, STRING, struct } from '../../policy/language/types.ts';

const sparkSigningLeaf = struct('SparkSigningLeaf', { leaf_id: STRING });

const sparkStaticDeposit = struct('SparkStaticDeposit', { index: INT });

const sparkKeyDerivation = struct('SparkKeyDerivation', {
  type: STRING,
  signing_leaf: sparkSigningLeaf,
  static_deposit: sparkStaticDeposit,
});

const sparkFrostCommitment = struct('SparkFrostCommitment', { id: STRING, hiding: STRING, binding: STRING });

export const sparkSignatureRequest = struct('SparkSignatureRequest', {
  derivation: sparkKeyDerivation,
  message: STRING,
  verifying_key: STRING,
  operator_commitments: listOf(sparkFrostCommitment),
  adaptor_public_key: STRING,
});

const sparkTransferLeaf = struct('SparkTransferLeaf', {
  leaf_id: STRING,
  old_leaf_derivation: sparkKeyDerivation,
  new_leaf_derivation: sparkKeyDerivation,
  refund_signature: STRING,
  direct_refund_signature: STRING,
  direct_from_cpfp_refund_signature: STRING,
});

const sparkOperatorRecipient = struct('SparkOperatorRecipient', {
  operator_id: STRING,
  encryption_public_key: STRING,
});

export const sparkTransferPackage = struct('SparkTransferPackage', {
  transfer_id: STRING,
  leaves: listOf(sparkTransferLeaf),
  threshold: INT,
  operator_recipients: listOf(sparkOperatorRecipient),
  receiver_public_key: STRING,
});

const sparkClaimLeaf = struct('SparkClaimLeaf', { leaf_id: STRING, ciphertext: STRING, sender_signature: STRING });

export const sparkClaimPackage = struct('SparkClaimPackage', {
  leaves: listOf(sparkClaimLeaf),
  threshold: INT,
  operator_recipients: listOf(sparkOperatorRecipient),
  transfer_id: STRING,
  sender_identity_public_key: STRING,
});

export const sparkLightningReceivePackage = struct('SparkLightningReceivePackage', {
  threshold: INT,
  operator_recipients: listOf(sparkOperatorRecipient),
});

const shapes: Shapes = {
  SparkKeyDerivation: { type: oneOf('identity', 'signing_leaf', 'deposit', 'static_deposit', 'htlc_preimage', '') },
};

export const sparkPolicyTypes: EnvironmentPart = {
  roots: [],
  shapes,
};
