import { setImmediate } from 'node:timers/promises';
import { zero } from '../base/bytes.ts';
import { BundleError } from '../crypto/bundle.ts';
import { publicKeyOf, signDigest } from '../crypto/curves.ts';
import { sha256 } from '../crypto/hash.ts';
import { openQuorumBytes, sealQuorumEnvelope } from '../crypto/quorum-envelope.ts';
import { QUORUM_SEED, quorumKeys, quorumPublicKey, wipeQuorumKeys } from '../crypto/quorum-key.ts';
import { polynomialsOf, shareAt } from '../crypto/shamir.ts';
import { type Means, withSecret } from './means.ts';
import type { QuorumVault } from './types.ts';

/** Length of a share: its number, then one byte for each byte of the seed. */
const SHARE = QUORUM_SEED + 1;

export function quorum(means: Means): QuorumVault {
  const { random } = means;
  return {
    async newQuorumKey(threshold, encryptKeys) {
      const { seed, publicKey } = newSeed(means);
      const polynomials = polynomialsOf(seed, threshold, random);
      zero(seed);
      try {
        const shares: Buffer[] = [];
        for (const [i, encryptKey] of encryptKeys.entries()) {
          // A share takes up to a millisecond, so other requests run in between.
          if (i > 0) await setImmediate();
          const share = shareAt(polynomials, i + 1);
          shares.push(sealQuorumEnvelope(encryptKey, share, random));
          zero(share);
        }
        return { publicKey, shares };
      } finally {
        polynomials.wipe();
      }
    },
    reEncryptShare({ encryptKey, signKey }, share, { ephemeralKey, manifestHash }) {
      const sealed = withSecret(means, encryptKey, (key) => {
        const plain = openQuorumBytes(share, key, publicKeyOf('CURVE_P256', key));
        try {
          if (plain.length !== SHARE) throw new BundleError(`must hold a share of ${SHARE} bytes`);
          return sealQuorumEnvelope(ephemeralKey, plain, random);
        } finally {
          zero(plain);
        }
      });
      const { r, s } = withSecret(means, signKey, (key) => signDigest('CURVE_P256', key, sha256(manifestHash)));
      return { share: sealed, signature: Buffer.concat([r, s]) };
    },
  };
}

/** The caller wipes the seed. */
function newSeed({ random }: Means): { seed: Buffer; publicKey: Buffer } {
  for (;;) {
    const seed = random(QUORUM_SEED);
    const keys = quorumKeys(seed);
    if (keys === undefined) continue;
    const publicKey = quorumPublicKey(keys);
    wipeQuorumKeys(keys);
    return { seed, publicKey };
  }
}
