import { concat, littleEndian } from '../../base/bytes.ts';
import { hash160, sha256 } from '../../crypto/hash.ts';

const push = (data: Uint8Array): Uint8Array => concat([Uint8Array.of(data.length), data]);

/** OP_DUP OP_HASH160 <HASH160 of the key> OP_EQUALVERIFY OP_CHECKSIG: P2PKH, and the script that BIP-143 hashes for P2WPKH. */
export function keyHashScript(publicKey: Uint8Array): Uint8Array {
  return concat([Uint8Array.of(0x76, 0xa9), push(hash160(publicKey)), Uint8Array.of(0x88, 0xac)]);
}

/** OP_0 and the HASH160 of the key: the program of BIP-141 P2WPKH, and the redeem script of BIP-49. */
export function witnessKeyScript(publicKey: Uint8Array): Uint8Array {
  return concat([Uint8Array.of(0x00), push(hash160(publicKey))]);
}

/** <key> OP_CHECKSIG: the witness script of our P2WSH addresses. */
export function checkSigScript(publicKey: Uint8Array): Uint8Array {
  return concat([push(publicKey), Uint8Array.of(0xac)]);
}

/** OP_1 and an output key of 32 bytes: the output of BIP-341. */
export function taprootScript(outputKey: Uint8Array): Uint8Array {
  return concat([Uint8Array.of(0x51), push(outputKey)]);
}

/** OP_HASH160 <hash of the script> OP_EQUAL: the output of BIP-16. */
export function paysToScript(script: Uint8Array): Uint8Array {
  return concat([Uint8Array.of(0xa9), push(scriptHash(script)), Uint8Array.of(0x87)]);
}

export function isPaysToScript(script: Uint8Array): boolean {
  return script.length === 23 && script[0] === 0xa9 && script[1] === 0x14 && script[22] === 0x87;
}

/** OP_0 and the SHA-256 of the script: the output of BIP-141 P2WSH. */
export function paysToWitnessScript(script: Uint8Array): Uint8Array {
  return concat([Uint8Array.of(0x00), push(witnessScriptHash(script))]);
}

/** The hash in a P2SH address. */
export const scriptHash = hash160;

/** The hash in a P2WSH address. */
export const witnessScriptHash = sha256;

/** Double SHA-256: the hash of txids, and of signature hashes before BIP-341. */
export const hash256 = (data: Uint8Array): Uint8Array => sha256(sha256(data));

/** The witness program of an output script: exactly OP_0 or OP_1 … OP_16 and one push of 2 to 40 bytes (BIP-141). */
export function witnessProgram(script: Uint8Array): { version: number; program: Uint8Array } | undefined {
  const [opcode, length] = script;
  if (opcode === undefined || length === undefined || length < 2 || length > 40 || script.length !== length + 2) return undefined;
  if (opcode !== 0x00 && (opcode < 0x51 || opcode > 0x60)) return undefined;
  return { version: opcode === 0x00 ? 0 : opcode - 0x50, program: script.subarray(2) };
}

/** An opcode and the bytes that it pushes, if any. */
export type ScriptPart = { opcode: number; data?: Uint8Array };

const OP_PUSHDATA1 = 0x4c;
const OP_PUSHDATA4 = 0x4e;

/** The parts of a script in order; undefined if its last push goes beyond its end. */
export function scriptParts(script: Uint8Array): ScriptPart[] | undefined {
  const parts: ScriptPart[] = [];
  for (let at = 0; at < script.length; ) {
    const opcode = script[at++]!;
    if (opcode > OP_PUSHDATA4) {
      parts.push({ opcode });
      continue;
    }
    // Bytes of the length field; 0 if the opcode is the length.
    const width = opcode < OP_PUSHDATA1 ? 0 : 2 ** (opcode - OP_PUSHDATA1);
    if (at + width > script.length) return undefined;
    const length = width === 0 ? opcode : littleEndian(script, at, width);
    at += width + length;
    if (at > script.length) return undefined;
    parts.push({ opcode, data: script.subarray(at - length, at) });
  }
  return parts;
}
