import type { Random } from '../base/random.ts';
import { signDigest, signEd25519, signSchnorr, tapTweakPrivateKey } from '../crypto/curves.ts';
import { type PlainKey, wipe } from '../crypto/plain-key.ts';
import type { RawSignature, SignatureScheme, ToSign } from '../crypto/signing-types.ts';
import { type Means, withSecret } from './means.ts';
import type { SealedKey, SigningVault } from './types.ts';

export function signing(means: Means): SigningVault {
  return {
    sign: (key, scheme, inputs) =>
      withSecret(means, key, (plain) => inputs.map((input) => signOne(means.random, plain, key.curve, scheme, input))),
  };
}

function signOne(random: Random, key: PlainKey, curve: SealedKey['curve'], scheme: SignatureScheme, input: ToSign): RawSignature {
  if (curve === 'CURVE_ED25519') {
    if (!('message' in input)) throw new Error('Ed25519 signs a message, not a digest');
    return halves(signEd25519(key, input.message));
  }
  if (!('digest' in input)) throw new Error('ECDSA and Schnorr sign a digest');
  if (scheme === 'bip340') return halves(signSchnorr(key, input.digest, random(32)));
  if (scheme === 'bip341') {
    const tweaked = tapTweakPrivateKey(key);
    try {
      return halves(signSchnorr(tweaked, input.digest, random(32)));
    } finally {
      wipe(tweaked);
    }
  }
  return signDigest(curve, key, input.digest);
}

function halves(signature: Buffer): RawSignature {
  return { r: signature.subarray(0, 32), s: signature.subarray(32), v: 0 };
}
