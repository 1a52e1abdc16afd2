import { ID, type Samples } from '../../support/samples.ts';
import { keyOf, operators, pointOf, text } from './support.ts';

const signWith = 'spark1sample';
const leafId = '019a0f3e-0000-7000-8000-00000000000a';

export const leaf = (id: string) => ({ signingLeaf: { leafId: id } });

/** Well-formed parameters of each operation's newest version. */
export const spark: Samples = {
  SPARK_CLAIM_TRANSFER: () => ({
    signWith,
    claim: {
      leaves: [{ leafId, ciphertext: `04${'0'.repeat(256)}`, senderSignature: '0'.repeat(128) }],
      threshold: 2,
      operatorRecipients: operators(3),
      transferId: ID,
      senderIdentityPublicKey: pointOf('sender'),
    },
  }),
  SPARK_PREPARE_LIGHTNING_RECEIVE: () => ({
    signWith,
    lightningReceive: { threshold: 2, operatorRecipients: operators(3) },
  }),
  SPARK_PREPARE_TRANSFER: () => ({
    signWith,
    transfer: {
      transferId: ID,
      leaves: [{ leafId, oldLeafDerivation: leaf(leafId), newLeafDerivation: leaf(ID), refundSignature: '' }],
      threshold: 2,
      operatorRecipients: operators(3),
      receiverPublicKey: pointOf('receiver'),
    },
  }),
  SPARK_SIGN_FROST: () => ({
    signWith,
    signatures: [
      {
        derivation: leaf(leafId),
        message: '00'.repeat(32),
        verifyingKey: pointOf('verifying'),
        operatorCommitments: [{ id: text(keyOf('id')), hiding: pointOf('hiding'), binding: pointOf('binding') }],
        adaptorPublicKey: '',
      },
    ],
  }),
};
