import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { zero } from '../base/bytes.ts';
import { invalid } from '../base/errors.ts';
import { asBuffer, toBigInt, uint256 } from './buffers.ts';
import { type Curve, isPrivateKey, publicKeyOf } from './curves.ts';
import { P256_N } from './p256.ts';
import { asPlainKey, type PlainKey } from './plain-key.ts';
import { secp256k1 } from './secp256k1.ts';

/** The first hardened index (BIP-32 "Extended keys"). */
const HARDENED = 0x80000000;

const DEEPEST = 10;
const PATH = /^m(?:\/(?:0|[1-9]\d{0,9})['h]?)*$/;
const LONGEST = 2 + DEEPEST * 12;

/**
 * The indices of a BIP-32 path such as m/44'/60'/0'/0/0; the top bit marks hardened ones (' or h). Undefined if the text is not a
 * path, or has an index of 2^31 or more. Also for more than 10 segments.
 */
export function parsePath(text: string): number[] | undefined {
  if (text.length > LONGEST || !PATH.test(text)) return undefined;
  const numbers: number[] = [];
  for (const segment of text.split('/').slice(1)) {
    const index = Number.parseInt(segment, 10);
    if (index >= HARDENED) return undefined;
    numbers.push(/\d$/.test(segment) ? index : index + HARDENED);
  }
  return numbers.length <= DEEPEST ? numbers : undefined;
}

/** The same path with every hardened segment marked by ', as the canonical form. */
export const plainPath = (text: string): string => text.replaceAll('h', "'");

const masterKey = (text: string): KeyObject => createSecretKey(Buffer.from(text));

type CurveRules = {
  /** The HMAC key of the master key (BIP-32 "Master key generation", SLIP-10). */
  hmacKey: KeyObject;
  /** The child's private key from the left half of the digest and the parent's key. Undefined: SLIP-10 requires another hash. */
  child(left: Buffer, parent: Buffer): Buffer | undefined;
};

const rules: Readonly<Record<Curve, CurveRules>> = {
  CURVE_SECP256K1: {
    hmacKey: masterKey('Bitcoin seed'),
    child(left, parent) {
      const key = secp256k1.addToPrivateKey(parent, left);
      return key && asBuffer(key);
    },
  },
  CURVE_P256: {
    hmacKey: masterKey('Nist256p1 seed'),
    child(left, parent) {
      const tweak = toBigInt(left);
      const key = (tweak + toBigInt(parent)) % P256_N;
      return tweak < P256_N && key !== 0n ? uint256(key) : undefined;
    },
  },
  CURVE_ED25519: { hmacKey: masterKey('ed25519 seed'), child: (left) => Buffer.from(left) },
};

/** `publicKey`: set once a child needed it. */
type Node = { key: Buffer; chain: Buffer; publicKey?: Buffer };

function hmac(key: KeyObject, data: Buffer): { left: Buffer; right: Buffer } {
  const digest = createHmac('sha512', key).update(data).digest();
  zero(data);
  return { left: digest.subarray(0, 32), right: digest.subarray(32) };
}

function wipe({ key, chain }: Node): void {
  zero(key);
  zero(chain);
}

function masterNode(curve: Curve, seed: Uint8Array): Node {
  let { left, right } = hmac(rules[curve].hmacKey, Buffer.from(seed));
  // SLIP-10. BIP-32 calls such a seed invalid on secp256k1, with probability 1 in 2^127.
  while (!isPrivateKey(curve, left)) ({ left, right } = hmac(rules[curve].hmacKey, Buffer.concat([left, right])));
  return { key: left, chain: right };
}

function childNode(curve: Curve, parent: Node, number: number): Node {
  const index = Buffer.alloc(4);
  index.writeUInt32BE(number);
  const secret = createSecretKey(parent.chain);
  let start: Buffer[];
  if (number >= HARDENED) start = [Buffer.of(0), parent.key];
  else {
    parent.publicKey ??= publicKeyOf(curve, parent.key);
    start = [parent.publicKey];
  }
  let { left, right } = hmac(secret, Buffer.concat([...start, index]));
  for (;;) {
    const key = rules[curve].child(left, parent.key);
    zero(left);
    if (key !== undefined) return { key, chain: right };
    // SLIP-10: 1 in 2^32 on P-256. BIP-32 tells the caller to take the next index: 1 in 2^127 on secp256k1.
    ({ left, right } = hmac(secret, Buffer.concat([Buffer.of(1), right, index])));
  }
}

/** On Ed25519, SLIP-10 derives only hardened children, but wallets write paths with non-hardened segments. */
function numbersOf(curve: Curve, path: string): number[] {
  const numbers = parsePath(path);
  if (numbers === undefined) throw invalid('path', "invalid path: must look like m/44'/60'/0'/0/0");
  if (curve !== 'CURVE_ED25519') return numbers;
  return numbers.map((number) => (number < HARDENED ? number + HARDENED : number));
}

/** Keys of one seed. `wipe` when done. */
export type KeyTree = {
  /**
   * The private key at a path, 32 bytes: BIP-32 on secp256k1, SLIP-10 on P-256 and Ed25519. On Ed25519 every segment is
   * hardened, whatever the text says. Throws REQUEST_INVALID if parsePath refuses the path. The caller wipes the result.
   */
  privateKey(curve: Curve, path: string): PlainKey;
  wipe(): void;
};

/**
 * `seed`: 16 to 64 bytes, which the caller wipes. The nodes of the last path are cached for the segments shared with the next. So
 * request paths with the same parents one after the other.
 */
export function keyTree(seed: Uint8Array): KeyTree {
  if (seed.length < 16 || seed.length > 64) throw new RangeError('a seed has 16 to 64 bytes');
  /** From the master node to the last path's node. */
  const nodes: Node[] = [];
  let last: { curve: Curve | undefined; numbers: readonly number[] } = { curve: undefined, numbers: [] };

  function keep(count: number): void {
    for (const node of nodes.splice(count)) wipe(node);
  }

  return {
    privateKey(curve, path) {
      const numbers = numbersOf(curve, path);
      const isShared = (depth: number) => depth < nodes.length - 1 && numbers[depth] === last.numbers[depth];
      let shared = 0;
      if (curve !== last.curve) keep(0);
      else while (isShared(shared)) shared++;
      last = { curve, numbers };
      keep(shared + 1);
      if (nodes.length === 0) nodes.push(masterNode(curve, seed));
      for (const number of numbers.slice(shared)) nodes.push(childNode(curve, nodes.at(-1)!, number));
      return asPlainKey(Buffer.from(nodes.at(-1)!.key));
    },
    wipe: () => keep(0),
  };
}
