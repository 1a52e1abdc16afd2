import { fromHex, toHex } from '../base/bytes.ts';
import { invalid } from '../base/errors.ts';
import { BundleError } from '../crypto/bundle.ts';
import { p256Convert } from '../crypto/p256.ts';

/** `write` seals to the key that is named, and says so if it is none. */
export function exportTo(targetPublicKey: string, write: (target: Uint8Array) => string): string {
  const field = 'parameters.targetPublicKey';
  const target = fromHex(targetPublicKey);
  if (target === undefined) throw invalid(field, 'must be hex of a public key of P-256, 65 or 33 bytes');
  try {
    return write(target);
  } catch (error) {
    if (error instanceof BundleError) throw invalid(field, `must be a public key of P-256: ${error.message}`);
    throw error;
  }
}

/** As policies compare it: 65 bytes in lower-case hex, however it was written. */
export function comparableTarget({ targetPublicKey }: { targetPublicKey: string }): string {
  const bytes = fromHex(targetPublicKey);
  const point = bytes && p256Convert(bytes, 'uncompressed');
  return point ? toHex(point) : targetPublicKey;
}
