import { wipe } from '../crypto/plain-key.ts';
import type { Envelope } from './envelope.ts';
import { EnvelopeError, type SecretName } from './types.ts';

/** The same secret under the newest master key. Throws EnvelopeError. */
export function reseal(envelope: Envelope, name: SecretName, sealed: Uint8Array): Buffer {
  const plain = envelope.open(name, sealed);
  try {
    return envelope.seal(name, plain);
  } finally {
    wipe(plain);
  }
}

/** Whether a secret opens. */
export function opens(envelope: Envelope, name: SecretName, sealed: Uint8Array): boolean {
  try {
    wipe(envelope.open(name, sealed));
    return true;
  } catch (error) {
    if (error instanceof EnvelopeError) return false;
    throw error;
  }
}
