import { toHex } from '../../base/bytes.ts';
import { tapTweakPublicKey } from '../../crypto/points.ts';
import { checkSigScript, keyHashScript, paysToScript, paysToWitnessScript, taprootScript, witnessKeyScript } from './scripts.ts';

/** The outputs of a key's own addresses, in hex. `publicKey`: 33 bytes. */
export function ownScripts(publicKey: Uint8Array): ReadonlySet<string> {
  const witnessKey = witnessKeyScript(publicKey);
  const scripts = [
    keyHashScript(publicKey),
    witnessKey,
    paysToScript(witnessKey),
    paysToWitnessScript(checkSigScript(publicKey)),
    taprootScript(tapTweakPublicKey(publicKey)),
  ];
  return new Set(scripts.map(toHex));
}
