import { zero } from '../../base/bytes.ts';
import { systemRandom } from '../../base/random.ts';
import { openQuorumBytes } from '../../crypto/quorum-envelope.ts';
import { QUORUM_SEED, quorumKeys, quorumPublicHalves, quorumPublicKey } from '../../crypto/quorum-key.ts';

/** A key of one attempt to get the quorum key. It is in this process's memory alone. */
export type Ephemeral = {
  /** 130 bytes in hex. */
  publicKey: string;
  /** Opens an envelope that is sealed to it. Throws BundleError. The caller wipes the result. */
  open(sealed: Buffer): Buffer;
  wipe(): void;
};

export function newEphemeral(): Ephemeral {
  for (;;) {
    const seed = systemRandom(QUORUM_SEED);
    const keys = quorumKeys(seed);
    zero(seed);
    // One seed in 2^31 is none.
    if (keys === undefined) continue;
    const publicKey = quorumPublicKey(keys);
    zero(keys.sign);
    const own = quorumPublicHalves(publicKey)!.encrypt;
    return {
      publicKey: publicKey.toString('hex'),
      open: (sealed) => openQuorumBytes(sealed, keys.encrypt, own),
      wipe: () => zero(keys.encrypt),
    };
  }
}
