/** The protobuf messages of Spark that operators read once they opened a package. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** `proofs`: of the secret. `pubkeyShares`: of every operator, by its id. */
export type SharedTweak = {
  leafId: string;
  share: Uint8Array;
  proofs: readonly Uint8Array[];
  pubkeyShares: readonly (readonly [operatorId: string, point: Uint8Array])[];
};

export type SparkRefund = 'refundSignature' | 'directRefundSignature' | 'directFromCpfpRefundSignature';

/** A refund signature may be empty. */
export type SendTweak = SharedTweak & Record<'secretCipher' | 'signature' | SparkRefund, Uint8Array>;

/** A field that is empty is not written. */
function bytes(writer: BinaryWriter, field: number, value: Uint8Array): void {
  if (value.length > 0) writer.tag(field, WireType.LengthDelimited).bytes(value);
}

const text = (writer: BinaryWriter, field: number, value: string): BinaryWriter =>
  writer.tag(field, WireType.LengthDelimited).string(value);

function message(writer: BinaryWriter, field: number, write: () => void): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write();
  writer.join();
}

function share(writer: BinaryWriter, value: Uint8Array, proofs: readonly Uint8Array[]): void {
  bytes(writer, 1, value);
  for (const proof of proofs) bytes(writer, 2, proof);
}

/** The fields that the messages of both directions have. */
function leafTweak(writer: BinaryWriter, tweak: SharedTweak): void {
  text(writer, 1, tweak.leafId);
  message(writer, 2, () => share(writer, tweak.share, tweak.proofs));
  for (const [operatorId, point] of tweak.pubkeyShares)
    message(writer, 3, () => {
      text(writer, 1, operatorId);
      bytes(writer, 2, point);
    });
}

/** SecretShare. */
export function secretShare(value: Uint8Array, proofs: readonly Uint8Array[]): Uint8Array {
  const writer = new BinaryWriter();
  share(writer, value, proofs);
  return writer.finish();
}

/** SendLeafKeyTweaks. */
export function sendTweaks(tweaks: readonly SendTweak[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const tweak of tweaks)
    message(writer, 1, () => {
      leafTweak(writer, tweak);
      bytes(writer, 4, tweak.secretCipher);
      bytes(writer, 5, tweak.signature);
      bytes(writer, 6, tweak.refundSignature);
      bytes(writer, 7, tweak.directRefundSignature);
      bytes(writer, 8, tweak.directFromCpfpRefundSignature);
    });
  return writer.finish();
}

/** ClaimLeafKeyTweaks. */
export function claimTweaks(tweaks: readonly SharedTweak[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const tweak of tweaks) message(writer, 1, () => leafTweak(writer, tweak));
  return writer.finish();
}
