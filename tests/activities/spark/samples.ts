import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const spark: Samples = {
  SPARK_CLAIM_TRANSFER: () => ({
    signWith: 'sample',
    claim: {
      leaves: [{ leafId: ID, ciphertext: 'sample', senderSignature: 'sample' }],
      threshold: 1,
      operatorRecipients: [{ operatorId: ID, encryptionPublicKey: 'sample' }],
      transferId: ID,
      senderIdentityPublicKey: 'sample',
    },
  }),
  SPARK_PREPARE_LIGHTNING_RECEIVE: () => ({
    signWith: 'sample',
    lightningReceive: { threshold: 1, operatorRecipients: [{ operatorId: ID, encryptionPublicKey: 'sample' }] },
  }),
  SPARK_PREPARE_TRANSFER: () => ({
    signWith: 'sample',
    transfer: {
      transferId: ID,
      leaves: [{ leafId: ID, oldLeafDerivation: {}, newLeafDerivation: {} }],
      threshold: 1,
      operatorRecipients: [{ operatorId: ID, encryptionPublicKey: 'sample' }],
      receiverPublicKey: 'sample',
    },
  }),
  SPARK_SIGN_FROST: () => ({
    signWith: 'sample',
    signatures: [
      {
        derivation: {},
        message: 'sample',
        verifyingKey: 'sample',
        operatorCommitments: [{ id: ID, hiding: 'sample', binding: 'sample' }],
      },
    ],
  }),
};
