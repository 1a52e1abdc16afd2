import { hexBytes, toHex } from '../../base/bytes.ts';
import type { SparkRecipients } from '../../custody/types.ts';
import type { SparkRecipientParams } from '../../wire/spark.ts';

export const recipientsOf = ({ threshold, operatorRecipients }: SparkRecipientParams): SparkRecipients => ({
  threshold,
  operators: operatorRecipients.map(({ operatorId, encryptionPublicKey }) => ({
    operatorId,
    publicKey: hexBytes(encryptionPublicKey),
  })),
});

export const packagesText = ({ operatorRecipients }: SparkRecipientParams, packages: readonly Uint8Array[]) =>
  operatorRecipients.map(({ operatorId }, i) => ({ operatorId, encryptedPackage: toHex(packages[i]!) }));

export const leafKeysText = (leafIds: readonly string[], publicKeys: readonly Uint8Array[]) =>
  leafIds.map((leafId, i) => ({ leafId, publicKey: toHex(publicKeys[i]!) }));
