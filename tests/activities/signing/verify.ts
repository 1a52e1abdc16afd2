import assert from 'node:assert/strict';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';

export type Signature = { r: string; s: string; v: string };

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

/** By another implementation: the signature is of this digest (or message, on Ed25519), low S, with the right recovery id. */
export function assertSigned(curve: string, publicKey: string, toSign: Uint8Array, { r, s, v }: Signature): void {
  for (const half of [r, s]) assert.match(half, /^[0-9a-f]{64}$/);
  const signature = bytes(r + s);
  const input = Uint8Array.from(toSign);
  if (curve === 'CURVE_ED25519') {
    assert.equal(v, '00');
    assert.ok(ed25519.verify(signature, input, bytes(publicKey)));
    return;
  }
  const implementation = curve === 'CURVE_P256' ? p256 : secp256k1;
  assert.match(v, /^0[01]$/);
  assert.ok(implementation.verify(signature, input, bytes(publicKey), { prehash: false, lowS: true }));
  const recovered = implementation.Signature.fromBytes(signature).addRecoveryBit(Number(v)).recoverPublicKey(input);
  assert.equal(recovered.toHex(true), publicKey);
}
