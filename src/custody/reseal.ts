import { zero } from '../base/bytes.ts';
import type { Envelope } from './envelope.ts';
import type { SecretName } from './types.ts';

/** The same secret under the newest master key. Throws EnvelopeError. */
export function reseal(envelope: Envelope, name: SecretName, sealed: Uint8Array): Buffer {
  const plain = envelope.open(name, sealed);
  try {
    return envelope.seal(name, plain);
  } finally {
    zero(plain);
  }
}
