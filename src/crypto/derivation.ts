import { createHmac } from 'node:crypto';
import { zero } from '../base/bytes.ts';
import { type Curve, isPrivateKey, publicKeyOf } from './curves.ts';
import { secp256k1 } from './secp256k1.ts';

const HARDENED = 0x80000000;
const DEEPEST = 10;

/** The numbers of a BIP-32 path such as m/44'/60'/0'/0/0 (or h for '), hardened ones with the top bit. Undefined if it is none. */
export function parsePath(text: string): number[] | undefined {
  if (!/^m(\/\d{1,10}['h]?)*$/.test(text)) return undefined;
  const numbers: number[] = [];
  for (const part of text.split('/').slice(1)) {
    const hardened = /['h]$/.test(part);
    const index = Number(hardened ? part.slice(0, -1) : part);
    if (index >= HARDENED) return undefined;
    numbers.push(hardened ? index + HARDENED : index);
  }
  return numbers.length <= DEEPEST ? numbers : undefined;
}

/** The text that each curve's master key is derived with (BIP-32; SLIP-10). */
const CURVE_SEEDS: Record<Curve, string> = { CURVE_SECP256K1: 'Bitcoin seed', CURVE_P256: 'Nist256p1 seed', CURVE_ED25519: 'ed25519 seed' };

const P256_N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

type Node = { key: Buffer; chain: Buffer };

function node(hmacKey: string | Buffer, data: Uint8Array): Node {
  const digest = createHmac('sha512', hmacKey).update(data).digest();
  return { key: digest.subarray(0, 32), chain: digest.subarray(32) };
}

function master(curve: Curve, seed: Uint8Array): Node {
  let made = node(CURVE_SEEDS[curve], seed);
  // SLIP-10: a digest that is no key is hashed again. For secp256k1 BIP-32 calls such a seed invalid; the odds are below 2^-127.
  while (!isPrivateKey(curve, made.key)) made = node(CURVE_SEEDS[curve], Buffer.concat([made.key, made.chain]));
  return made;
}

function sumModP256(a: Buffer, b: Buffer): Buffer {
  const sum = (BigInt(`0x${a.toString('hex')}`) + BigInt(`0x${b.toString('hex')}`)) % P256_N;
  return Buffer.from(sum.toString(16).padStart(64, '0'), 'hex');
}

function serialized(curve: Curve, parent: Node, index: number): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(index);
  const key = index >= HARDENED ? Buffer.concat([Buffer.of(0), parent.key]) : publicKeyOf(curve, parent.key);
  return Buffer.concat([key, number]);
}

function child(curve: Curve, parent: Node, index: number): Node {
  let data = serialized(curve, parent, index);
  for (;;) {
    const made = node(parent.chain, data);
    zero(data);
    if (curve === 'CURVE_ED25519') return made;
    if (curve === 'CURVE_SECP256K1') {
      secp256k1.privateKeyTweakAdd(made.key, parent.key);
      return made;
    }
    if (isPrivateKey(curve, made.key)) {
      const sum = sumModP256(made.key, parent.key);
      if (isPrivateKey(curve, sum)) {
        made.key.set(sum);
        zero(sum);
        return made;
      }
    }
    const number = Buffer.alloc(4);
    number.writeUInt32BE(index);
    data = Buffer.concat([Buffer.of(1), made.chain, number]);
  }
}

/**
 * The private key at a path: BIP-32 on secp256k1, SLIP-10 on P-256 and Ed25519. SLIP-10 knows hardened derivation only on
 * Ed25519, and wallets write paths with other segments there: every segment is hardened, whatever the text says.
 * `path` must satisfy parsePath. The caller wipes the result.
 */
export function derivePrivateKey(seed: Uint8Array, curve: Curve, path: string): Buffer {
  const numbers = parsePath(path);
  if (numbers === undefined) throw new Error('not a BIP-32 path');
  let current = master(curve, seed);
  for (const number of numbers) {
    const next = child(curve, current, curve === 'CURVE_ED25519' && number < HARDENED ? number + HARDENED : number);
    zero(current.key);
    zero(current.chain);
    current = next;
  }
  const key = Buffer.from(current.key);
  zero(current.key);
  zero(current.chain);
  return key;
}
