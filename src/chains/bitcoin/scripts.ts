import { hash160, sha256 } from '../../crypto/hash.ts';

const push = (data: Uint8Array): Buffer => Buffer.concat([Buffer.of(data.length), data]);

/** OP_0 and the HASH160 of the key: the program of BIP-141 P2WPKH, and the redeem script of BIP-49. */
export function witnessKeyScript(publicKey: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(0x00), push(hash160(publicKey))]);
}

/** <key> OP_CHECKSIG: the witness script of our P2WSH addresses. */
export function checkSigScript(publicKey: Uint8Array): Buffer {
  return Buffer.concat([push(publicKey), Buffer.of(0xac)]);
}

/** What a P2SH address commits to. */
export const scriptHash = hash160;

/** What a P2WSH address commits to. */
export const witnessScriptHash = sha256;
