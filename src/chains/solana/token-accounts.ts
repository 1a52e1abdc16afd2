import { hash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';

const PROGRAM = base58.decode('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const DERIVED = Buffer.from('ProgramDerivedAddress');

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

/** The associated token account of an owner for a mint of a token program: the first derived address that is no public key. */
export function associatedTokenAccount(owner: string, mint: string, program: string): string {
  const seeds = [owner, program, mint].map((part) => base58.decode(part));
  for (let bump = 255; bump >= 0; bump--) {
    const bytes = hash('sha256', Buffer.concat([...seeds, Uint8Array.of(bump), PROGRAM, DERIVED]), 'buffer');
    if (!isOnCurve(bytes)) return base58.encode(bytes);
  }
  throw new Error('no associated token account');
}
