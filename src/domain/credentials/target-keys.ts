import { fromHex, toHex } from '../../base/bytes.ts';
import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import { BundleError } from '../../crypto/bundle.ts';
import { p256Convert } from '../../crypto/p256.ts';

/** Calls `seal`, which seals to the target key. Throws REQUEST_INVALID if that is not a P-256 public key. */
export function sealTo<T>(targetPublicKey: string, seal: (target: Uint8Array) => T): T {
  const field = 'parameters.targetPublicKey';
  const target = fromHex(targetPublicKey);
  if (target === undefined) throw invalid(field, 'must be a P-256 public key in hex, 65 or 33 bytes');
  try {
    return seal(target);
  } catch (error) {
    if (error instanceof BundleError) throw invalid(field, `must be a P-256 public key: ${error.message}`);
    throw error;
  }
}
sealTo.errors = errorsOf('REQUEST_INVALID');

/** For `check`. Throws REQUEST_INVALID if nothing can be sealed to the key. */
export function targetOf(publicKey: string, field = 'parameters.targetPublicKey'): Uint8Array {
  const bytes = fromHex(publicKey);
  if (bytes === undefined || p256Convert(bytes, 'uncompressed') === undefined)
    throw invalid(field, 'must be a P-256 public key in hex, 65 or 33 bytes, without 0x');
  return bytes;
}
targetOf.errors = errorsOf('REQUEST_INVALID');

/** The target key as policies compare it: 65 bytes in lower-case hex, whatever form was sent. */
export function comparableTarget({ targetPublicKey }: { targetPublicKey: string }): string {
  const bytes = fromHex(targetPublicKey);
  const point = bytes && p256Convert(bytes, 'uncompressed');
  return point ? toHex(point) : targetPublicKey;
}
