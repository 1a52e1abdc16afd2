import type { Curve } from '../../src/crypto/curves.ts';
import { keyTree } from '../../src/crypto/derivation.ts';
import { bytesOfKey } from '../../src/crypto/plain-key.ts';

/** The key at one path, derived from the seed with nothing before it. */
export function derivePrivateKey(seed: Uint8Array, curve: Curve, path: string): Buffer {
  const tree = keyTree(seed);
  try {
    return bytesOfKey(tree.privateKey(curve, path));
  } finally {
    tree.wipe();
  }
}
