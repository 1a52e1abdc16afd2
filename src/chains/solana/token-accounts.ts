import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { concat, utf8 } from '../../base/bytes.ts';
import { sha256 } from '../../crypto/hash.ts';

const PROGRAM = base58.decode('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const DERIVED = utf8('ProgramDerivedAddress');

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

/** An owner's associated token account for a mint: the first derived address that is no public key. */
export function associatedTokenAccount(owner: string, mint: string, program: string): string {
  const seeds = [owner, program, mint].map((part) => base58.decode(part));
  for (let bump = 255; bump >= 0; bump--) {
    const bytes = sha256(concat([...seeds, Uint8Array.of(bump), PROGRAM, DERIVED]));
    if (!isOnCurve(bytes)) return base58.encode(bytes);
  }
  throw new Error('no associated token account');
}
