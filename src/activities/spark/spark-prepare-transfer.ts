import { z } from 'zod';
import { hexBytes, toHex } from '../../base/bytes.ts';
import { sparkTransferPackage } from '../../chains/spark/policy-types.ts';
import { comparableAddress, sparkAccount } from '../../domain/spark/account.ts';
import {
  checkLeaves,
  checkPoint,
  checkRecipients,
  checkSize,
  leafIdsOf,
  type SparkTransferLeaf,
} from '../../domain/spark/check.ts';
import { leafKeysText, packagesText, recipientsOf } from '../../domain/spark/packages.ts';
import { bySparkSigner } from '../../domain/spark/signer.ts';
import { derivationView, recipientsView } from '../../domain/spark/views.ts';
import { TRANSFERS_BY_KIND } from '../../domain/transfers/kinds.ts';
import { taken } from '../../domain/transfers/taken.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { SparkLeafPublicKeys, SparkOperatorPackages, SparkTransferParams } from '../../wire/spark.ts';

const FIELD = 'parameters.transfer';

export const sparkPrepareTransfer = activity({
  kind: 'SPARK_PREPARE_TRANSFER',
  ...bySparkSigner,
  takes: ({ ctx, subject }) => taken(ctx, subject, TRANSFERS_BY_KIND.SPARK_PREPARE_TRANSFER),
  usage: { signatures: 1 },
  summary: 'Give Spark leaves to a receiver: packages for the operators, and the sender’s signature over them',
  params: v1(SparkTransferParams),
  policyParams: {
    sign_with: [STRING, comparableAddress],
    transfer: [
      sparkTransferPackage,
      ({ transfer }) => ({
        transfer_id: transfer.transferId,
        leaves: transfer.leaves.map(leafView),
        ...recipientsView(transfer),
        receiver_public_key: transfer.receiverPublicKey,
      }),
    ],
  },
  result: {
    key: 'sparkPrepareTransferResult',
    shape: z.object({
      operatorPackages: SparkOperatorPackages,
      transferUserSignature: z.string(),
      newLeafPublicKeys: SparkLeafPublicKeys,
    }),
  },
  errors: [sparkAccount, checkLeaves, checkPoint, checkRecipients, checkSize, leafIdsOf],
  check({ intent: { transfer } }) {
    const { leaves } = transfer;
    checkRecipients(transfer, FIELD);
    checkPoint(transfer.receiverPublicKey, `${FIELD}.receiverPublicKey`);
    checkLeaves(leaves, newIdsOf(leaves), FIELD);
    checkSize(leaves.map(sizeOf), transfer, `${FIELD}.leaves`);
  },
  async prepare({ ctx, intent: { signWith, transfer } }) {
    const account = await sparkAccount(ctx.read, ctx.organization, signWith);
    const { transferId, leaves, receiverPublicKey } = transfer;
    return ctx.vault.prepareTransfer(account, {
      ...recipientsOf(transfer),
      transferId,
      receiver: hexBytes(receiverPublicKey),
      leaves: leaves.map((leaf, i) => {
        const [oldLeafId, newLeafId] = leafIdsOf(leaf, `${FIELD}.leaves[${i}]`);
        return { leafId: leaf.leafId, oldLeafId, newLeafId, ...refundsOf(leaf) };
      }),
    });
  },
  async execute({ intent: { transfer }, prepared: { packages, userSignature, newLeafPublicKeys } }) {
    return {
      operatorPackages: packagesText(transfer, packages),
      transferUserSignature: toHex(userSignature),
      newLeafPublicKeys: leafKeysText(newIdsOf(transfer.leaves), newLeafPublicKeys),
    };
  },
});

const newIdsOf = (leaves: readonly SparkTransferLeaf[]): string[] =>
  leaves.map((leaf, i) => leafIdsOf(leaf, `${FIELD}.leaves[${i}]`)[1]);

const refundsOf = (leaf: SparkTransferLeaf) => ({
  refundSignature: hexBytes(leaf.refundSignature ?? ''),
  directRefundSignature: hexBytes(leaf.directRefundSignature ?? ''),
  directFromCpfpRefundSignature: hexBytes(leaf.directFromCpfpRefundSignature ?? ''),
});

const sizeOf = (leaf: SparkTransferLeaf): number =>
  Object.values(refundsOf(leaf)).reduce((sum, { length }) => sum + length, leaf.leafId.length);

const leafView = (leaf: SparkTransferLeaf) => ({
  leaf_id: leaf.leafId,
  old_leaf_derivation: derivationView(leaf.oldLeafDerivation),
  new_leaf_derivation: derivationView(leaf.newLeafDerivation),
  refund_signature: leaf.refundSignature ?? '',
  direct_refund_signature: leaf.directRefundSignature ?? '',
  direct_from_cpfp_refund_signature: leaf.directFromCpfpRefundSignature ?? '',
});
