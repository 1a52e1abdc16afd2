import { createRequire } from 'node:module';
import { asBuffer, toBigInt, uint256 } from './buffers.ts';
import { addonSecp256k1 } from './secp256k1-addon.ts';
import type { Secp256k1 } from './secp256k1-type.ts';
import { wasmSecp256k1 } from './secp256k1-wasm.ts';

/** Order of the group (SEC 2 §2.4.1). */
export const SECP256K1_N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const require = createRequire(import.meta.url);

/** Loads the addon directly: the package's entry point silently falls back to slow JavaScript. */
function load(): Secp256k1 {
  try {
    return addonSecp256k1(require('secp256k1/bindings'));
  } catch (cause) {
    process.emitWarning(
      'the native secp256k1 addon does not load here: its WebAssembly build is used, which signs 2.5 times slower',
      {
        code: 'SECP256K1_WASM',
        detail: cause instanceof Error ? cause.message : String(cause),
      },
    );
    return wasmSecp256k1(require('tiny-secp256k1'));
  }
}

export const secp256k1: Secp256k1 = load();

/**
 * Signs any 32 bytes. RFC 6979 §2.3.4 derives the nonce from the digest mod n. The addon does not reduce it, so it is reduced here.
 * A signature is valid for a digest exactly if it is for its residue.
 */
export function signSecp256k1(digest: Uint8Array, privateKey: Uint8Array): { signature: Buffer; recovery: number } {
  const value = digest[0] === 0xff ? toBigInt(digest) : 0n;
  const { signature, recovery } = secp256k1.sign(value >= SECP256K1_N ? uint256(value - SECP256K1_N) : digest, privateKey);
  return { signature: asBuffer(signature), recovery };
}
